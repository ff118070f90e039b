#include "reports/pair/journal.hpp"

#include <nlohmann/json.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include "harness/core/error.hpp"
#include "harness/record/strict_json.hpp"

namespace gonogo::reports {
namespace {

constexpr const char* kSchema = "gonogo/pair-journal";

[[noreturn]] void refuse(const std::filesystem::path& path, int code) {
  throw core::UsageError(fmt::format("cannot write {}: {}", path.string(), std::generic_category().message(code)));
}

Json reading_json(const Reading& reading) {
  return {{"value", reading.value ? Json(*reading.value) : Json(nullptr)},
          {"unit", reading.unit},
          {"better", record::name_of(reading.better)},
          {"status", reading.status},
          {"reason", reading.reason}};
}

Reading reading_from(const Json& json) {
  Reading reading;
  if (!json.at("value").is_null()) reading.value = json.at("value").get<double>();
  reading.unit = json.at("unit").get<std::string>();
  const auto better = json.at("better").get<std::string>();
  reading.better = better == "lower" ? record::Better::lower : record::Better::higher;
  reading.status = json.at("status").get<std::string>();
  reading.reason = json.at("reason").get<std::string>();
  return reading;
}

Json run_json(const Run& run) {
  Json metrics = Json::object();
  for (const auto& [name, reading] : run.readings.metrics) metrics[name] = reading_json(reading);
  return {{"visit", run.visit.index},      {"block", run.visit.block},
          {"arm", name_of(run.visit.arm)}, {"pid", run.pid},
          {"exit_code", run.exit_code},    {"started", run.started},
          {"wall_s", run.wall_s},          {"load", run.load},
          {"facts", run.readings.facts},   {"warnings", run.readings.warnings},
          {"metrics", std::move(metrics)}};
}

Run run_from(const Json& json, const std::vector<Visit>& visits, std::size_t next) {
  Run run;
  const auto index = json.at("visit").get<std::size_t>();
  if (index != next || next >= visits.size() || json.at("arm") != name_of(visits[next].arm))
    throw std::out_of_range(
        fmt::format("run {} of arm {} stands where run {} of the plan should", index, json.at("arm").dump(), next));
  run.visit = visits[next];
  run.pid = json.at("pid").get<int>();
  run.exit_code = json.at("exit_code").get<int>();
  run.started = json.at("started").get<std::string>();
  run.wall_s = json.at("wall_s").get<double>();
  run.load = json.at("load").get<double>();
  run.readings.facts = json.at("facts").get<std::map<std::string, std::string>>();
  run.readings.warnings = json.at("warnings").get<std::vector<std::string>>();
  for (const auto& [name, reading] : json.at("metrics").items()) run.readings.metrics[name] = reading_from(reading);
  return run;
}

PairPlan header_plan(const Json& header, const std::string& file) {
  if (!header.is_object() || !header.contains("schema") || header["schema"] != kSchema)
    throw core::InputError({file, "line 1", fmt::format("is no {} journal", kSchema), ""});
  if (!header.contains("schema_version") || header["schema_version"] != 1 || !header.contains("plan"))
    throw core::InputError({file, "line 1", "is of another version, or has no plan", ""});
  return plan_from(header["plan"], file, "line 1: plan");
}

void take_line(JournalContent& content, const Json& line, const std::vector<Visit>& visits) {
  if (line.contains("failed_visit"))
    content.failures.push_back(line.at("why").get<std::string>());
  else
    content.runs.push_back(run_from(line, visits, content.runs.size()));
}

// Complete lines end in a line feed; what comes after the last one was cut off.
std::size_t complete_part(std::string_view text) { return text.rfind('\n') + 1; }  // 0 when there is none

}  // namespace

JournalContent parse_journal(const std::string& text, const std::string& file) {
  const std::string_view whole = std::string_view(text).substr(0, complete_part(text));
  if (whole.empty()) throw core::InputError({file, "", "holds no complete line: no plan", ""});
  JournalContent content;
  std::vector<Visit> visits;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < whole.size();) {
    const std::size_t end = whole.find('\n', begin);
    const auto line = whole.substr(begin, end - begin);
    begin = end + 1;
    const auto place = fmt::format("line {}", ++number);
    const Json json = record::parse_strict(line, fmt::format("{}: {}", file, place));
    if (number == 1) {
      content.plan = header_plan(json, file);
      visits = visits_of(content.plan);
      continue;
    }
    try {
      take_line(content, json, visits);
    } catch (const Json::exception& error) {
      throw core::InputError({file, place, fmt::format("is no run: {}", error.what()), ""});
    } catch (const std::out_of_range& error) {
      throw core::InputError({file, place, error.what(), ""});
    }
  }
  return content;
}

JournalContent read_journal(const std::filesystem::path& path) {
  return parse_journal(record::read_text(path), path.string());
}

Journal Journal::start(const std::filesystem::path& path, const PairPlan& plan) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) refuse(path, errno);
  Journal journal(path, descriptor);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) refuse(path, errno);
  journal.content_.plan = plan;
  journal.write_line({{"schema", kSchema}, {"schema_version", 1}, {"plan", to_json(plan)}});
  return journal;
}

Journal Journal::resume(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor < 0) refuse(path, errno);
  Journal journal(path, descriptor);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0)
    throw core::UsageError(fmt::format("{} is in use by another session", path.string()));
  const auto text = record::read_text(path);
  journal.content_ = parse_journal(text, path.string());
  if (::ftruncate(descriptor, static_cast<off_t>(complete_part(text))) != 0) refuse(path, errno);
  return journal;
}

Journal::~Journal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Journal::Journal(Journal&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      content_(std::move(other.content_)) {}

void Journal::append(const Run& run) {
  write_line(run_json(run));
  content_.runs.push_back(run);
}

void Journal::append_failure(std::size_t visit, const std::string& why) {
  write_line({{"failed_visit", visit}, {"why", why}});
  content_.failures.push_back(why);
}

void Journal::write_line(Json line) {
  record::make_strict(line);
  const std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = ::write(descriptor_, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse(path_, errno);
    done += static_cast<std::size_t>(count);
  }
  if (::fsync(descriptor_) != 0) refuse(path_, errno);
}

}  // namespace gonogo::reports
