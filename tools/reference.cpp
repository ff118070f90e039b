#include "tools/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/core/error.hpp"

namespace gonogo::tools {
namespace {

using Json = nlohmann::json;

void read_step_form(const Json& json, Reference& reference) {
  reference.prompt = json.at("prompt").get<std::vector<std::int64_t>>();
  reference.ids = json.at("tokens").get<std::vector<std::int64_t>>();
  const Json& steps = json.at("steps");
  for (std::size_t i = 0; i < steps.size(); ++i) {
    reference.gaps.push_back(steps[i].at("margin").get<double>());
    if (steps[i].contains("logits"))
      reference.logits[static_cast<std::int64_t>(i)] = steps[i]["logits"].get<std::vector<double>>();
    if (steps[i].contains("prefill_argmax"))
      reference.prefill_argmax = steps[i]["prefill_argmax"].get<std::vector<std::int64_t>>();
  }
}

void read_flat_form(const Json& json, Reference& reference) {
  reference.prompt = json.at("prompt_ids").get<std::vector<std::int64_t>>();
  reference.ids = json.at("greedy_ids").get<std::vector<std::int64_t>>();
  reference.gaps = json.at("top1_top2_gap").get<std::vector<double>>();
  reference.prefill_argmax = json.at("prefill_argmax_all").get<std::vector<std::int64_t>>();
  for (const auto& [name, row] : json.at("logits").items()) {
    // step_S is the answer after greedy id S has been fed.
    const std::int64_t answer = name == "prefill_last" ? 0 : std::stoll(name.substr(std::string("step_").size())) + 1;
    reference.logits[answer] = row.get<std::vector<double>>();
  }
}

void check(const Reference& reference) {
  const auto fail = [&](const std::string& what) {
    throw core::InputError({reference.file.string(), "", what, "record it again"});
  };
  if (reference.prompt.empty() || reference.ids.empty()) fail("has no prompt or no ids");
  if (reference.gaps.size() != reference.ids.size())
    fail(fmt::format("has {} ids but {} gaps", reference.ids.size(), reference.gaps.size()));
  if (reference.logits.empty()) fail("has no row of logits");
  if (reference.logits.rbegin()->first > static_cast<std::int64_t>(reference.ids.size()))
    fail("has logits after the last id");
  if (!reference.prefill_argmax.empty() && reference.prefill_argmax.size() != reference.prompt.size())
    fail(fmt::format("has {} prompt ids but {} of their argmax", reference.prompt.size(),
                     reference.prefill_argmax.size()));
}

Reference read(const std::filesystem::path& file) {
  Reference reference;
  reference.file = file;
  try {
    std::ifstream stream(file);
    const Json json = Json::parse(stream);
    if (json.contains("prompt_ids"))
      read_flat_form(json, reference);
    else
      read_step_form(json, reference);
  } catch (const Json::exception& error) {
    throw core::InputError({file.string(), "", error.what(), "a reference.json or golden.json is wanted"});
  } catch (const std::logic_error& error) {
    throw core::InputError({file.string(), "logits", error.what(), "rows are called prefill_last and step_N"});
  }
  check(reference);
  return reference;
}

}  // namespace

std::vector<Reference> read_references(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder))
    throw core::InputError({folder.string(), "", "is no folder", "name a model folder"});
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name == "reference.json" || (name.starts_with("golden") && name.ends_with(".json")))
      files.push_back(entry.path());
  }
  if (files.empty())
    throw core::InputError({folder.string(), "", "holds no reference.json and no golden*.json",
                            "name a model folder with recorded answers"});
  std::sort(files.begin(), files.end());
  std::vector<Reference> references;
  for (const auto& file : files) references.push_back(read(file));
  return references;
}

}  // namespace gonogo::tools
