#include "probes/parity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>

#include "harness/core/error.hpp"
#include "probes/token_ids.hpp"

namespace gonogo::probes {
namespace {

using engine::Mode;
using engine::StepKind;
using engine::Wanted;
using record::Status;
using Logits = std::vector<float>;

constexpr int kMostCapturedForwards = 8;

Logits copy(std::span<const float> logits) { return {logits.begin(), logits.end()}; }

bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

// NaN on either side makes the difference infinite: a comparison must not pass on it.
double worst_difference(std::span<const float> a, std::span<const float> b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    worst = std::isfinite(difference) ? std::max(worst, difference) : HUGE_VAL;
  }
  return worst;
}

double largest(std::span<const float> values) {
  double most = 0;
  for (const float v : values) most = std::max(most, std::abs(static_cast<double>(v)));
  return most;
}

double top_gap(std::span<const float> row) {
  float first = -HUGE_VALF, second = -HUGE_VALF;
  for (const float v : row) {
    if (v > first) {
      second = first;
      first = v;
    } else if (v > second) {
      second = v;
    }
  }
  return static_cast<double>(first) - static_cast<double>(second);
}

// Forwards that count what is not finite.
class Runner {
 public:
  Runner(engine::Session& session, std::uint64_t seed, ParityResult& result)
      : session_(session), source_{seed, session.model().vocab}, result_(result) {}

  engine::ForwardResult forward(std::span<const std::int64_t> ids, Mode mode, Wanted wanted) {
    auto out = session_.forward(ids, mode, wanted);
    if (wanted != Wanted::nothing && !out.all_finite) ++result_.non_finite;
    return out;
  }
  engine::ForwardResult at(std::int64_t past, std::int64_t rows, Mode mode) {
    session_.rewind(past);
    return forward(source_.range(past, rows), mode, Wanted::all_rows);
  }
  std::vector<std::int64_t> greedy(const ParityOptions& options, Mode mode) {
    session_.rewind(0);
    auto out = forward(source_.range(0, options.prompt), Mode::eager, Wanted::last_row);
    std::vector<std::int64_t> ids{out.argmax.back()};
    while (static_cast<std::int64_t>(ids.size()) < options.greedy_tokens)
      ids.push_back(forward({&ids.back(), 1}, mode, Wanted::last_row).argmax.back());
    return ids;
  }
  // The logits that chose ids[position], with the ids before it forced.
  Logits forced(const ParityOptions& options, std::span<const std::int64_t> ids, std::int64_t position) {
    session_.rewind(0);
    auto out = forward(source_.range(0, options.prompt), Mode::eager, Wanted::last_row);
    for (std::int64_t i = 0; i < position; ++i)
      out = forward(ids.subspan(static_cast<std::size_t>(i), 1), Mode::eager, Wanted::last_row);
    return copy(out.logits);
  }
  [[nodiscard]] engine::Session& session() { return session_; }
  [[nodiscard]] const TokenSource& source() const { return source_; }

 private:
  engine::Session& session_;
  TokenSource source_;
  ParityResult& result_;
};

void compare_captured(Runner& run, const ParityOptions& options, const Logits& eager, WidthParity& width) {
  bool equal = true;
  for (int i = 0; i < kMostCapturedForwards && !width.replayed; ++i) {
    const auto out = run.at(options.past, width.m, Mode::captured);
    equal = equal && same_bits(out.logits, eager);
    width.replayed = out.kind == StepKind::replay;
    const auto declined = run.session().capture_state(width.m).declined;
    if (declined) {
      width.not_replayed = "declined: " + core::to_string(*declined);
      break;
    }
  }
  if (!width.replayed && width.not_replayed.empty())
    width.not_replayed = fmt::format("no replay in {} forwards", kMostCapturedForwards);
  width.captured_is_eager = width.replayed && equal;
}

void compare_rows(const Logits& wide, const Logits& narrow, double tolerance, WidthParity& width) {
  const std::size_t vocab = narrow.size() / static_cast<std::size_t>(std::max<std::int64_t>(width.m, 1));
  for (std::int64_t r = 0; r < width.m; ++r) {
    const auto at = static_cast<std::size_t>(r) * vocab;
    const auto a = std::span(wide).subspan(at, vocab);
    const auto b = std::span(narrow).subspan(at, vocab);
    width.worst = std::max(width.worst, worst_difference(a, b));
    if (same_bits(a, b)) continue;
    ++width.rows_differ;
    if (width.first_row < 0) width.first_row = r;
  }
  width.bound = tolerance * largest(narrow);
}

void compare_widths(Runner& run, const ParityOptions& options, ParityResult& result) {
  const std::int64_t widest = *std::max_element(options.m_list.begin(), options.m_list.end());
  run.session().reserve(options.past + widest);
  prime(run.session(), run.source(), options.past);
  Logits narrow;  // [widest, vocab], each row by a forward of its own
  for (std::int64_t r = 0; r < widest; ++r) {
    const auto id = run.source().at(options.past + r);
    const auto out = run.forward({&id, 1}, Mode::eager, Wanted::all_rows);
    narrow.insert(narrow.end(), out.logits.begin(), out.logits.end());
  }
  const std::size_t vocab = narrow.size() / static_cast<std::size_t>(widest);
  const double tolerance = options.tolerance.value_or(stated_tolerance(run.session().model()));
  for (const std::int64_t m : options.m_list) {
    WidthParity width;
    width.m = m;
    const Logits eager = copy(run.at(options.past, m, Mode::eager).logits);
    const Logits expected(narrow.begin(),
                          narrow.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(m) * vocab));
    GONOGO_EXPECT(eager.size() == expected.size(), fmt::format("{} logits for {} rows of {}", eager.size(), m, vocab));
    compare_rows(eager, expected, tolerance, width);
    compare_captured(run, options, eager, width);
    result.widths.push_back(width);
  }
}

void check_options(Subjects subjects, const ParityOptions& o) {
  if (o.m_list.empty()) throw core::UsageError("the list of widths M is empty");
  const auto [least, most] = std::minmax_element(o.m_list.begin(), o.m_list.end());
  if (*least < 1) throw core::UsageError(fmt::format("width M must be at least 1, got {}", *least));
  if (o.prompt < 1 || o.greedy_tokens < 1)
    throw core::UsageError("parity needs a prompt and at least one greedy token");
  for (const auto& subject : subjects) {
    const std::int64_t context = subject.session->model().context;
    const std::int64_t need = std::max(o.past + *most, o.prompt + o.greedy_tokens);
    if (need > context)
      throw core::UsageError(fmt::format("parity needs {} tokens, the context holds {}", need, context));
  }
}

GreedyClass compare_greedy(Runner& reference, std::span<const std::int64_t> reference_ids, Runner& candidate,
                           std::span<const std::int64_t> candidate_ids, const ParityOptions& options) {
  DivergenceProbes probes;
  probes.rerun_reference = [&] { return reference.greedy(options, Mode::eager); };
  probes.evidence = [&](std::int64_t position) {
    const Logits a = reference.forced(options, reference_ids, position);
    const Logits b = candidate.forced(options, reference_ids, position);
    const double share = options.tolerance.value_or(stated_tolerance(reference.session().model()));
    return TieEvidence{top_gap(a), worst_difference(a, b), share * largest(a)};
  };
  return classify_greedy(reference_ids, candidate_ids, probes);
}

template <class Body>
void guarded(ParityResult& result, Body&& body) {
  try {
    body();
    result.status = Status::ok;
    result.reason = "";
  } catch (const std::exception& error) {
    result.status = Status::failed;
    result.reason = error.what();
  }
}

}  // namespace

double stated_tolerance(const engine::ModelFacts& model) { return model.io_dtype == "float32" ? 1e-4 : 2e-2; }

bool ParityResult::captured_eager() const {
  return !widths.empty() &&
         std::all_of(widths.begin(), widths.end(), [](const auto& w) { return w.captured_is_eager; });
}

bool ParityResult::rows() const {
  return !widths.empty() && std::all_of(widths.begin(), widths.end(), [this](const auto& w) {
    return backend == "cpu" ? w.rows_differ == 0 : w.worst <= w.bound;
  });
}

std::string ParityResult::why_wrong() const {
  if (status != Status::ok) return reason;
  if (non_finite > 0) return fmt::format("{} forwards with non-finite logits", non_finite);
  for (const auto& w : widths) {
    // What was never captured has no captured output to be wrong: that is a gate's matter, not a fault of the output.
    if (w.replayed && !w.captured_is_eager)
      return fmt::format("captured logits differ from the eager ones at M = {}", w.m);
    if (backend == "cpu" && w.rows_differ > 0)
      return fmt::format("M = {}: {} rows differ from width 1, first row {}, by up to {:.3g}", w.m, w.rows_differ,
                         w.first_row, w.worst);
    if (backend != "cpu" && !(w.worst <= w.bound))
      return fmt::format("M = {}: rows differ from width 1 by {:.3g}, tolerance {:.3g}", w.m, w.worst, w.bound);
  }
  if (!greedy) return "greedy ids were not compared";
  if (!greedy->right()) return fmt::format("greedy ids against {}: {}", reference, greedy->reason);
  return "";
}

std::vector<ParityResult> measure_parity(Subjects subjects, const ParityOptions& options, const Monitor& monitor) {
  check_options(subjects, options);
  std::vector<ParityResult> results;
  for (const auto& subject : subjects) {
    results.emplace_back();
    results.back().stack = subject.name;
    results.back().backend = subject.session->backend();
    results.back().reference = subjects.front().name;
  }
  if (subjects.empty()) return results;
  Runner reference(*subjects.front().session, options.seed, results.front());
  std::vector<std::int64_t> reference_ids;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    if (monitor.interrupted()) {
      results[i].reason = "interrupted";
      continue;
    }
    monitor.progress("parity: stack " + subjects[i].name);
    guarded(results[i], [&] {
      Runner run(*subjects[i].session, options.seed, results[i]);
      compare_widths(run, options, results[i]);
      if (i == 0) reference_ids = reference.greedy(options, Mode::eager);
      results[i].greedy_ids = run.greedy(options, Mode::captured);
      if (reference_ids.empty())
        throw core::ResultError("the reference stack " + subjects.front().name + " gave no ids");
      results[i].greedy = compare_greedy(reference, reference_ids, run, results[i].greedy_ids, options);
    });
  }
  return results;
}

}  // namespace gonogo::probes
