// nvbench: benchmark -> state -> summaries, numbers as texts; samples, where kept, in a side file of float32 seconds.
#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>

#include "harness/record/strict_json.hpp"
#include "reports/import/formats.hpp"
#include "harness/record/run_record.hpp"

namespace gonogo::reports {
namespace {

namespace fs = std::filesystem;
using record::Status;

constexpr const char* kSampleFile = "nv/json/bin:nv/cold/sample_times";

// {tag, name, data: [{name, type, value}]}: the member `name` of the summary `tag`.
class Summaries {
 public:
  explicit Summaries(const Fields& state) {
    if (!state.has("summaries")) return;
    const Fields list = state.array("summaries");
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Fields summary = list.item(i);
      const Fields data = summary.array("data");
      for (std::size_t k = 0; k < data.size(); ++k)
        found_.emplace(std::pair(summary.text("tag"), data.item(k).text("name")), data.item(k));
    }
  }

  [[nodiscard]] bool has(const std::string& tag) const { return member(tag, "value") != nullptr; }
  /// nullopt for a null; int64 and float64 are written as texts by some versions, as numbers by others.
  [[nodiscard]] std::optional<double> number(const std::string& tag, const std::string& name = "value") const {
    const Fields* data = member(tag, name);
    if (data == nullptr || !data->has("value")) return std::nullopt;
    if (data->json()["value"].is_number()) return data->number("value");
    const std::string text = data->text("value");
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
      data->fail("value", fmt::format("wanted a number, got '{}'", text));
    return value;
  }
  [[nodiscard]] std::string text(const std::string& tag, const std::string& name) const {
    const Fields* data = member(tag, name);
    return data == nullptr ? "" : data->shown("value");
  }

 private:
  [[nodiscard]] const Fields* member(const std::string& tag, const std::string& name) const {
    const auto found = found_.find({tag, name});
    return found == found_.end() ? nullptr : &found->second;
  }
  std::map<std::pair<std::string, std::string>, Fields> found_;
};

std::string name_of_state(const std::string& benchmark, const Fields& state) {
  std::string axes;
  if (state.has("axis_values")) {
    const Fields values = state.array("axis_values");
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Fields value = values.item(i);
      axes += fmt::format("{}{}={}", axes.empty() ? "" : " ", value.text("name"), value.shown("value"));
    }
  }
  return axes.empty() ? benchmark : fmt::format("{}[{}]", benchmark, axes);
}

std::vector<double> floats_of(const std::string& bytes) {
  std::vector<double> values;
  for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
    std::uint32_t bits = 0;  // little-endian, whatever this machine is
    for (std::size_t i = 0; i < 4; ++i) bits |= std::uint32_t{static_cast<std::uint8_t>(bytes[at + i])} << (8 * i);
    values.push_back(std::bit_cast<float>(bits));
  }
  return values;
}

class Reader {
 public:
  explicit Reader(const Fields& document) : document_(document) {}

  ImportedRun read() {
    run_.format = Format::nvbench;
    read_devices();
    if (document_.has("meta") && document_.object("meta").has("argv"))
      for (const Json& word : document_.object("meta").array("argv").json())
        if (word.is_string()) run_.argv.push_back(record::path_free(word.get<std::string>()));
    const Fields benchmarks = document_.array("benchmarks");
    for (std::size_t i = 0; i < benchmarks.size(); ++i) {
      const Fields benchmark = benchmarks.item(i);
      if (!benchmark.has("states")) continue;
      const Fields states = benchmark.array("states");
      for (std::size_t k = 0; k < states.size(); ++k) read_state(benchmark.text("name"), states.item(k));
    }
    if (side_files_missing_ > 0)
      run_.notes.push_back(
          fmt::format("{} side files of samples are not there: those rows have their mean only", side_files_missing_));
    return std::move(run_);
  }

 private:
  void read_devices() {
    if (!document_.has("devices")) return;
    const Fields devices = document_.array("devices");
    std::string names, architectures;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      const Fields device = devices.item(i);
      devices_[device.shown("id")] = device.text("name");
      names += fmt::format("{}{}", names.empty() ? "" : ", ", device.text("name"));
      architectures += fmt::format("{}{}", architectures.empty() ? "" : ", ", device.shown("sm_version"));
    }
    add_fact(run_, "device", names);
    add_fact(run_, "sm_version", architectures);
    if (devices.size() == 0) return;
    add_fact(run_, "sms", devices.item(0).shown("number_of_sms"));
    add_fact(run_, "ecc", devices.item(0).shown("ecc_state"));
    add_fact(run_, "sm_clock", devices.item(0).shown("sm_default_clock_rate"), FactKind::reading);
  }

  void read_state(const std::string& benchmark, const Fields& state) {
    ImportedRow row{.name = name_of_state(benchmark, state),
                    .metric = "gpu_time.cold",
                    .unit = "ms",
                    .reason = {},
                    .samples = {},
                    .single_reason = "the file holds the mean of the samples but not themselves: run with --jsonbin",
                    .place = state.place()};
    if (const auto device = devices_.find(state.shown("device")); device != devices_.end()) row.device = device->second;
    if (state.flag("is_skipped")) {
      row.status = Status::skipped;
      row.reason = state.text_or("skip_reason", "no reason was given");
    } else {
      read_times(row, state);
    }
    run_.rows.push_back(std::move(row));
  }

  void read_times(ImportedRow& row, const Fields& state) {
    const Summaries summaries(state);
    if (const auto samples = side_file(summaries, state); !samples.empty()) return set_samples(row, samples, 1e3);
    const std::pair<const char*, const char*> means[] = {{"nv/cold/time/gpu/mean", "gpu_time.cold"},
                                                         {"nv/batch/time/gpu/mean", "gpu_time.batch"},
                                                         {"nv/cpu_only/time/cpu/mean", "cpu_time"},
                                                         {"nv/cold/time/cpu/mean", "cpu_time.cold"}};
    for (const auto& [tag, metric] : means) {
      if (!summaries.has(tag)) continue;
      row.metric = metric;
      if (const auto mean = summaries.number(tag)) return set_samples(row, {*mean}, 1e3);
      break;
    }
    row.status = Status::unmeasured;
    row.reason = "the state has no mean time";
  }

  // Relative to the JSON file, or to the folder it was written in.
  std::vector<double> side_file(const Summaries& summaries, const Fields& state) {
    const std::string name = summaries.text(kSampleFile, "filename");
    if (name.empty()) return {};
    const fs::path folder = fs::path(document_.file()).parent_path();
    fs::path path = folder / name;
    std::error_code ignored;
    if (!fs::exists(path, ignored)) path = folder / fs::path(name).parent_path().filename() / fs::path(name).filename();
    if (!fs::is_regular_file(path, ignored)) {
      ++side_files_missing_;
      return {};
    }
    const std::string bytes = record::read_text(path);
    const auto size = summaries.number(kSampleFile, "size");
    if (!size || static_cast<double>(bytes.size()) != *size * 4)
      state.fail("", fmt::format("the side file {} has {} bytes, wanted {} samples of 4", path.string(), bytes.size(),
                                 size.value_or(0)));
    const auto values = floats_of(bytes);
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!std::isfinite(values[i]))
        state.fail("", fmt::format("sample {} of the side file {} is {}", i, path.string(), values[i]));
    return values;
  }

  const Fields& document_;
  ImportedRun run_;
  std::map<std::string, std::string> devices_;
  std::size_t side_files_missing_ = 0;
};

}  // namespace

bool is_nvbench(const Json& document) {
  if (!document.is_object() || !document.contains("benchmarks") || !document["benchmarks"].is_array()) return false;
  const Json& benchmarks = document["benchmarks"];
  if (!benchmarks.empty()) return benchmarks[0].is_object() && benchmarks[0].contains("states");
  return document.contains("devices") && !document.contains("context");
}

ImportedRun import_nvbench(const Fields& document) { return Reader(document).read(); }

}  // namespace gonogo::reports
