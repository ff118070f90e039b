#include "tools/model_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/onnx/model.hpp"
#include "harness/core/error.hpp"

namespace gonogo::tools {
namespace {

using engine::Mode;
using engine::Wanted;

using Row = std::vector<float>;
constexpr std::int64_t kWidths[] = {2, 3, 5, 8};

double largest(const auto& row) {
  double most = 0;
  for (const auto value : row) most = std::max(most, std::abs(static_cast<double>(value)));
  return most;
}

bool same_bits(const Row& a, const Row& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

std::string_view name_of(Mode mode) { return mode == Mode::eager ? "eager" : "captured"; }

class Checker {
 public:
  Checker(engine::Session& session, const Reference& reference, const Tolerance& tolerance)
      : session_(session), reference_(reference), tolerance_(tolerance), text_(reference.prompt) {
    text_.insert(text_.end(), reference.ids.begin(), reference.ids.end());
  }

  std::vector<std::string> check() {
    const std::vector<Row> rows = single_rows(Mode::eager);
    check_answers(rows);
    compare("captured width 1", single_rows(Mode::captured), rows, 0);
    check_prompt(rows);
    for (const std::int64_t width : kWidths) check_width(width, rows);
    return std::move(failures_);
  }

 private:
  void fail(const std::string& what) { failures_.push_back(what); }

  std::vector<Row> forward(std::int64_t width, Mode mode, Wanted wanted) {
    const std::span<const std::int64_t> ids(text_.data() + session_.length(), static_cast<std::size_t>(width));
    const engine::ForwardResult result = session_.forward(ids, mode, wanted);
    if (!result.all_finite)
      fail(fmt::format("{} width {} at {}: a logit is not finite", name_of(mode), width, session_.length()));
    const auto vocab = static_cast<std::size_t>(session_.model().vocab);
    std::vector<Row> rows;
    for (std::size_t at = 0; at < result.logits.size(); at += vocab)
      rows.emplace_back(result.logits.begin() + static_cast<std::ptrdiff_t>(at),
                        result.logits.begin() + static_cast<std::ptrdiff_t>(at + vocab));
    return rows;
  }

  /// The logits after each token of the text, one token at a time.
  std::vector<Row> single_rows(Mode mode) {
    session_.rewind(0);
    std::vector<Row> rows;
    while (session_.length() < static_cast<std::int64_t>(text_.size()))
      rows.push_back(forward(1, mode, Wanted::all_rows).at(0));
    return rows;
  }

  [[nodiscard]] double bound(double most) const { return tolerance_.relative * most + tolerance_.absolute; }

  static std::int64_t top(const Row& row) { return std::max_element(row.begin(), row.end()) - row.begin(); }

  void check_answers(const std::vector<Row>& rows) {
    const std::size_t first = reference_.prompt.size() - 1;
    for (const auto& [answer, want] : reference_.logits) {
      const Row& got = rows.at(first + static_cast<std::size_t>(answer));
      if (got.size() != want.size()) return fail(fmt::format("vocabulary: wanted {}, got {}", want.size(), got.size()));
      double worst = 0;
      for (std::size_t i = 0; i < want.size(); ++i)
        worst = std::max(worst, std::abs(static_cast<double>(got[i]) - want[i]));
      // Written so that NaN fails.
      if (!(worst <= bound(largest(want))))
        fail(fmt::format("logits of answer {}: off by {:.3g}, tolerance {:.3g}", answer, worst, bound(largest(want))));
    }
    for (std::size_t i = 0; i < reference_.ids.size(); ++i) {
      const Row& row = rows.at(first + i);
      if (top(row) != reference_.ids[i] && reference_.gaps[i] >= bound(largest(row)))
        fail(fmt::format("greedy id {}: wanted {}, got {} with a recorded gap of {:.3g}", i, reference_.ids[i],
                         top(row), reference_.gaps[i]));
    }
    for (std::size_t i = 0; i < reference_.prefill_argmax.size(); ++i) {
      const Row& row = rows.at(i);
      const double gap = static_cast<double>(row[static_cast<std::size_t>(top(row))]) -
                         static_cast<double>(row.at(static_cast<std::size_t>(reference_.prefill_argmax[i])));
      if (top(row) != reference_.prefill_argmax[i] && gap >= bound(largest(row)))
        fail(fmt::format("prompt token {}: greedy id wanted {}, got {}", i, reference_.prefill_argmax[i], top(row)));
    }
  }

  /// Bit by bit: what no backend may change.
  void compare(const std::string& what, const std::vector<Row>& got, const std::vector<Row>& rows, std::size_t first) {
    for (std::size_t i = 0; i < got.size(); ++i)
      if (!same_bits(got[i], rows.at(first + i))) return fail(fmt::format("{}: row {} differs", what, first + i));
  }

  /// A row of a wide forward against the row of a width-1 forward: the same bits on the cpu backend. Elsewhere another
  /// kernel may run at another width: within the tolerance.
  void compare_widths(const std::string& what, const std::vector<Row>& got, const std::vector<Row>& rows,
                      std::size_t first) {
    if (session_.backend() == "cpu") return compare(what, got, rows, first);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const Row& want = rows.at(first + i);
      double worst = 0;
      for (std::size_t j = 0; j < want.size(); ++j)
        worst = std::max(worst, std::abs(static_cast<double>(got[i].at(j)) - static_cast<double>(want[j])));
      if (!(worst <= bound(largest(want))))
        return fail(fmt::format("{}: row {} is off eager width 1 by {:.3g}, tolerance {:.3g}", what, first + i, worst,
                                bound(largest(want))));
    }
  }

  /// The whole prompt at once, with all rows and with the last alone.
  void check_prompt(const std::vector<Row>& rows) {
    const auto length = static_cast<std::int64_t>(reference_.prompt.size());
    for (const Wanted wanted : {Wanted::all_rows, Wanted::last_row}) {
      const std::string what = wanted == Wanted::all_rows ? "prompt" : "prompt, last row";
      session_.rewind(0);
      const std::vector<Row> eager = forward(length, Mode::eager, wanted);
      compare_widths(fmt::format("eager {}", what), eager, rows, rows_before(eager));
      // Three times: a captured width warms, captures, replays.
      for (int time = 0; time < 3; ++time) {
        session_.rewind(0);
        compare(fmt::format("captured {}", what), forward(length, Mode::captured, wanted), eager, 0);
      }
    }
  }

  /// Prompt rows that a forward of the prompt did not give.
  [[nodiscard]] std::size_t rows_before(const std::vector<Row>& got) const {
    return reference_.prompt.size() - got.size();
  }

  std::vector<Row> wide_rows(Mode mode, std::int64_t width) {
    std::vector<Row> all;
    session_.rewind(0);
    while (session_.length() + width <= static_cast<std::int64_t>(text_.size()))
      for (Row& row : forward(width, mode, Wanted::all_rows)) all.push_back(std::move(row));
    return all;
  }

  void check_width(std::int64_t width, const std::vector<Row>& rows) {
    const std::vector<Row> eager = wide_rows(Mode::eager, width);
    compare_widths(fmt::format("eager width {}", width), eager, rows, 0);
    compare(fmt::format("captured width {}", width), wide_rows(Mode::captured, width), eager, 0);
  }

  engine::Session& session_;
  const Reference& reference_;
  Tolerance tolerance_;
  std::vector<std::int64_t> text_;  // prompt and answers
  std::vector<std::string> failures_;
};

bool wants_int8(const onnx::Model& model) {
  return std::any_of(model.nodes.begin(), model.nodes.end(), [](const onnx::Node& node) {
    const auto it = node.attributes.find("accuracy_level");
    const auto* level = it == node.attributes.end() ? nullptr : std::get_if<std::int64_t>(&it->second);
    return level != nullptr && *level == 4;
  });
}

}  // namespace

Tolerance tolerance_for(const std::string& io_dtype, bool wants_int8, bool has_int8) {
  Tolerance tolerance;
  if (io_dtype == "float16") tolerance.relative = 2e-2;
  if (wants_int8) tolerance.absolute = has_int8 ? 1e-3 : 0.2;
  return tolerance;
}

std::vector<std::string> check_session(engine::Session& session, const Reference& reference,
                                       const Tolerance& tolerance) {
  return Checker(session, reference, tolerance).check();
}

ModelResult check_model(const std::filesystem::path& folder, const std::vector<Reference>& references,
                        const ModelCheckOptions& options, const Backend& backend) {
  ModelResult result;
  try {
    const engine::ModelSource source{onnx::find_model_file(folder),
                                     std::filesystem::canonical(folder).filename().string()};
    const bool int8 = wants_int8(onnx::load(source.file));
    const auto model = engine::load_model(source);
    for (const engine::Stack& stack : options.stacks) {
      const auto session = backend.open(model, {stack, options.threads, 0, options.int8_activations});
      for (const Reference& reference : references) {
        const Tolerance tolerance = tolerance_for(session->model().io_dtype, int8, options.int8_activations);
        for (const std::string& line : check_session(*session, reference, tolerance))
          result.lines.push_back(fmt::format("{} [{}]: {}", reference.file.filename().string(), stack.name, line));
      }
    }
    if (!result.lines.empty()) result.outcome = Outcome::wrong;
  } catch (const core::InputError& error) {
    // A refusal after wrong answers does not make them right.
    result.outcome = result.lines.empty() ? Outcome::refused : Outcome::wrong;
    result.lines.emplace_back(error.what());
  } catch (const std::exception& error) {
    result.outcome = Outcome::wrong;
    result.lines.push_back(fmt::format("stopped: {}", error.what()));
  }
  return result;
}

}  // namespace gonogo::tools
