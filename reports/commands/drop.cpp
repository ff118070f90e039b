#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <ctime>
#include <filesystem>
#include <optional>
#include <system_error>

#include "harness/record/sha256.hpp"
#include "harness/record/strict_json.hpp"
#include "reports/commands/command.hpp"
#include "reports/commands/lists.hpp"
#include "reports/decisions/make_drop.hpp"
#include "reports/decisions/store.hpp"
#include "harness/record/run_record.hpp"

namespace gonogo::reports {
namespace {

namespace fs = std::filesystem;

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", &utc);
  return text;
}

// "a; b" -> {"a", "b"}
std::vector<std::string> sentences(const std::string& text) {
  std::vector<std::string> result;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find(';', at), text.size());
    const auto from = text.find_first_not_of(' ', at);
    if (from < end) result.push_back(text.substr(from, text.find_last_not_of(' ', end - 1) + 1 - from));
    at = end + 1;
  }
  return result;
}

class DropCommand final : public Command {
 public:
  std::string name() const override { return "drop"; }
  std::string description() const override {
    return "Write a decision: question, gates, hashed evidence, verdict; the exit code is the verdict's";
  }

  void declare(cli::OptionSet& options) override {
    options.positionals("runs", runs_, "Run records, oldest first; the last one is judged, all are kept as evidence");
    options.text("--question", request_.question, "What is decided, in one sentence (needed)");
    options.text("--topic", topic_, "Short name, part of the decision's id [from the question]");
    options.text("--by", request_.by, "Who decides");
    options.text("--stack", request_.stack, "Stack to judge [latest, else the only one]");
    options.text("--gate", gate_ids_, "Only these gates, by comma [all]");
    options.text("--gates", gates_, "Folder of gate files [DIR/gates, else those shipped with the program]");
    options.text("--baseline", baseline_, "NAME=FILE: the record that gates know as NAME");
    options.text("--caveats", caveats_, "What a reader must know, sentences by ;");
    options.text("--supersedes", supersedes_, "Decisions that this one replaces, ids by comma");
    options.text("--retracts", retracts_, "Decisions whose figures must not be cited any more, ids by comma");
    options.text("--why", request_.why, "Why those are superseded or retracted (needed with them)");
    options.text("--decisions", folder_, "The decisions folder");
    options.flag("--allow-dirty", request_.allow_dirty,
                 "Take evidence built from a dirty or unknown tree, as a caveat");
  }

  core::ExitCode run() override {
    if (request_.question.empty()) throw core::UsageError("drop: --question is needed");
    request_.date = today();
    request_.caveats = sentences(caveats_);
    request_.supersedes = names_in("--supersedes", supersedes_);
    request_.retracts = names_in("--retracts", retracts_);
    const std::string topic = slug(topic_.empty() ? request_.question.substr(0, 48) : topic_);
    if (topic.empty()) throw core::UsageError("drop: --topic needs a letter or digit");
    request_.id = fmt::format("{}-{}", request_.date, topic);
    expect_new(read_store(folder_));

    std::vector<Evidence> runs;
    for (const auto& file : runs_) runs.push_back(take(file, topic));
    std::map<std::string, Evidence> baselines;
    if (baseline_) baselines.insert(read_baseline(topic));
    const Drop drop = make_drop(request_, runs, baselines, chosen_gates());
    const std::string text = to_markdown(drop);
    if (!parse_drops(text, "the new decision").drops.at(0).intact)
      throw core::ResultError("the decision does not read back as it was written");
    write(fs::path(folder_) / "inbox" / (request_.id + ".md"), text);
    fmt::print("{}: {} ({})\n{}/inbox/{}.md\n", drop.front["verdict"].get<std::string>(),
               drop.front["question"].get<std::string>(), drop.front["reason"].get<std::string>(), folder_,
               request_.id);
    return static_cast<core::ExitCode>(drop.front["exit_code"].get<int>());
  }

 private:
  struct Copy {
    fs::path to;
    std::string text;
  };

  void expect_new(const Store& store) const {
    if (const StoredDrop* other = store.find(request_.id))
      throw core::UsageError(
          fmt::format("the decision {} is there already: {} (--topic names another)", request_.id, other->path));
    for (const auto* ids : {&request_.supersedes, &request_.retracts})
      for (const auto& id : *ids)
        if (store.find(id) == nullptr) throw core::UsageError(fmt::format("there is no decision {}", id));
    if ((!request_.supersedes.empty() || !request_.retracts.empty()) && request_.why.empty())
      throw core::UsageError("--supersedes and --retracts need --why");
  }

  // Evidence lies in the decisions folder: a record from elsewhere is copied there, under a name that nothing else has.
  Evidence take(const std::string& file, const std::string& topic) {
    const std::string text = record::read_text(file);
    Evidence one{.path = "", .sha256 = record::sha256(text), .record = record::parse_record(text, file)};
    const fs::path folder = fs::path(folder_) / "evidence";
    std::error_code ignored;
    const auto inside = fs::weakly_canonical(file, ignored).lexically_relative(fs::weakly_canonical(folder, ignored));
    if (!inside.empty() && *inside.begin() != "..") {
      one.path = "evidence/" + inside.generic_string();
      return one;
    }
    const Json& device = one.record["devices"][0];
    const auto kind = device["kind"].get<std::string>();
    const Json& model = one.record["model"];
    const auto stem = fmt::format("{}-{}-{}-{}", one.record["context"]["date"].get<std::string>().substr(0, 10),
                                  kind == "cpu" ? kind : slug(device["name"].get<std::string>()),
                                  model.is_object() && model.contains("name") && model["name"].is_string()
                                      ? slug(model["name"].get<std::string>())
                                      : std::string("model"),
                                  topic);
    for (int number = 1;; ++number) {
      const auto name = number == 1 ? stem + ".json" : fmt::format("{}-{}.json", stem, number);
      one.path = "evidence/" + name;
      bool taken = false;
      for (const Copy& copy : copies_) taken = taken || (copy.to == folder / name && copy.text != text);
      if (!taken && !fs::exists(folder / name, ignored)) {
        copies_.push_back({folder / name, text});
        return one;
      }
      if (!taken && record::read_text(folder / name) == text) return one;
    }
  }

  std::pair<std::string, Evidence> read_baseline(const std::string& topic) {
    const auto [known_as, file] = named_file("--baseline", *baseline_);
    return {known_as, take(file, topic + "-baseline")};
  }

  [[nodiscard]] std::vector<Gate> chosen_gates() const {
    const auto all = gates_ ? load_gates(*gates_) : gates_of(folder_);
    const auto wanted = names_in("--gate", gate_ids_);
    if (wanted.empty()) return all;
    std::vector<Gate> chosen;
    for (const auto& id : wanted) {
      const auto found = std::find_if(all.begin(), all.end(), [&](const Gate& gate) { return gate.id == id; });
      if (found == all.end()) throw core::UsageError(fmt::format("--gate: there is no gate '{}'", id));
      chosen.push_back(*found);
    }
    return chosen;
  }

  // Evidence first: a decision never points at what is not there yet.
  void write(const fs::path& path, const std::string& text) const {
    std::error_code code;
    for (const char* part : {"evidence", "inbox"}) {
      fs::create_directories(fs::path(folder_) / part, code);
      if (code) throw core::UsageError(fmt::format("cannot make {}/{}: {}", folder_, part, code.message()));
    }
    record::check_writable(path.string());
    for (const Copy& copy : copies_) record::write_file(copy.to, copy.text);
    record::write_file(path, text);
  }

  DropRequest request_;
  std::vector<std::string> runs_;
  std::string topic_, gate_ids_, caveats_, supersedes_, retracts_, folder_ = "decisions";
  std::optional<std::string> gates_, baseline_;
  std::vector<Copy> copies_;
};

}  // namespace

std::unique_ptr<Command> drop_command() { return std::make_unique<DropCommand>(); }

}  // namespace gonogo::reports
