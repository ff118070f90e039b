// decode: greedy generation from a model, the sanity check that the engine is real. Ids, text and the top-1 to top-2
// gap.
#include <nlohmann/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string>
#include <vector>

#include "engine/levers/stack.hpp"
#include "harness/cli/axis.hpp"
#include "harness/cli/options.hpp"
#include "harness/cli/run_main.hpp"
#include "harness/core/error.hpp"
#include "harness/record/run_record.hpp"
#include "harness/record/strict_json.hpp"
#include "tools/backend.hpp"
#include "tools/generate.hpp"
#include "tools/model_source.hpp"
#include "tools/pieces.hpp"

namespace gonogo::tools {
namespace {

struct DecodeOptions {
  std::string model, prompt_ids, levers = "latest", mode = "captured";
  std::optional<std::string> pieces, json;
  std::int64_t tokens = 32, threads = 0, context = 0;
  BackendChoice backend;
};

std::vector<std::int64_t> parse_ids(const std::string& text) {
  std::vector<std::int64_t> ids;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    ids.push_back(cli::parse_integer(text.substr(begin, comma - begin), "--prompt-ids"));
    begin = comma + 1;
  }
  return ids;
}

std::string_view name_of(engine::StepKind kind) {
  switch (kind) {
    case engine::StepKind::eager:
      return "eager";
    case engine::StepKind::warm_up:
      return "warm-up";
    case engine::StepKind::capture:
      return "capture";
    case engine::StepKind::replay:
      return "replay";
  }
  return "unknown";
}

record::Json to_json(const engine::Session& session, std::span<const std::int64_t> prompt,
                     std::span<const GeneratedStep> steps) {
  record::Json rows = record::Json::array();
  for (const GeneratedStep& step : steps)
    rows.push_back({{"id", step.id},
                    {"top1_top2_gap", step.gap},
                    {"kind", name_of(step.kind)},
                    {"wall_ms", static_cast<double>(step.wall_ns) * 1e-6}});
  return {{"model", session.model().name}, {"weights_hash", session.model().weights_hash},
          {"backend", session.backend()},  {"stack", session.stack().name},
          {"threads", session.threads()},  {"prompt_ids", prompt},
          {"steps", std::move(rows)}};
}

core::ExitCode run(int argc, char** argv) {
  DecodeOptions asked;
  cli::OptionSet options("decode", "Generates ids greedily from an int4 ONNX language model.");
  options.text("--model", asked.model, "Folder, .onnx file, or preset:NAME");
  options.text("--prompt-ids", asked.prompt_ids, "Comma list of token ids to start from");
  options.integer("--tokens", asked.tokens, {.min = 1}, "How many ids to generate");
  options.text("--pieces", asked.pieces,
               "Pieces that turn ids into text: a JSON list, or a text file of one piece a line");
  options.text("--json", asked.json, "Write ids, gaps and times to FILE, - for stdout");
  options.text("--levers", asked.levers, "Stack of levers");
  options.choice("--mode", asked.mode, {"captured", "eager"}, "How steps after the prompt run");
  options.integer("--threads", asked.threads, {.min = 0, .max = 4096}, "Threads; 0: all this process may use");
  options.choice("--backend", asked.backend.name, {"auto", "cpu", "cuda"}, "Where to run");
  options.integer("--device", asked.backend.device, {0, 1024}, "Device number of the backend");
  options.integer("--context", asked.context, {.min = 0}, "Most tokens in the cache; 0: as the model says");
  if (options.parse(argc, argv) == cli::Parsed::done) return core::ExitCode::ok;
  if (asked.model.empty()) throw core::UsageError("--model: wanted a folder, a .onnx file or preset:NAME, got nothing");
  const std::vector<std::int64_t> prompt = parse_ids(asked.prompt_ids);
  const engine::SessionOptions session_options{
      .stack = engine::parse_stack(asked.levers), .threads = static_cast<int>(asked.threads), .context = asked.context};
  if (asked.json) record::check_writable(*asked.json);
  std::vector<std::string> pieces;
  if (asked.pieces) pieces = read_pieces(*asked.pieces);

  const Backend backend(asked.backend);
  const auto session = backend.open(engine::load_model(model_source(asked.model)), session_options);
  const engine::Mode mode = asked.mode == "captured" ? engine::Mode::captured : engine::Mode::eager;
  const std::vector<GeneratedStep> steps = generate(*session, prompt, asked.tokens, mode);

  if (asked.json) record::write_file(*asked.json, record::dump_strict(to_json(*session, prompt, steps)));
  if (asked.json == "-") return core::ExitCode::ok;
  std::vector<std::int64_t> ids;
  for (const GeneratedStep& step : steps) ids.push_back(step.id);
  fmt::print("{}\n", fmt::join(ids, ","));
  if (asked.pieces) {
    ids.insert(ids.begin(), prompt.begin(), prompt.end());
    fmt::print("{}\n", text_of(ids, pieces));
  }
  return core::ExitCode::ok;
}

}  // namespace
}  // namespace gonogo::tools

int main(int argc, char** argv) { return gonogo::cli::run_main(argc, argv, "decode", gonogo::tools::run); }
