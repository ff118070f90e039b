#include "tests/gpu/attention_case.hpp"

#include "tests/catch.hpp"

using namespace gonogo;
using namespace gonogo::tests;
using namespace gonogo::kernels::attention::cuda;
using core::DType;
using kernels::Overlap;

namespace {

struct Kernel {
  const char* name;
  void (*run)(const Problem&, const Args&, core::StreamRef);
};
constexpr Kernel kSplit{"split", split};
constexpr Kernel kTiled{"tiled", tiled};

Bytes run(const Kernel& kernel, const AttentionCase& c, Overlap overlap = Overlap::off) {
  const core::Stream stream;
  AttentionDevice device(c, stream);
  Args args = device.args();
  args.overlap = overlap;
  const Bytes y = run_all_ways(stream, device.y, [&] { kernel.run(c.problem, args, stream); });
  CHECK(device.workspace.guards_intact());
  return y;
}

void check(const Kernel& kernel, const AttentionCase& c, bool control = true) {
  const Problem& p = c.problem;
  const bool rounds = kernel.run == kSplit.run && p.type != DType::f32;
  const Weights weights = rounds ? Weights::rounded : Weights::exact;
  const std::vector<double> got = decode(p.type, run(kernel, c));
  const AttentionExpectation want = expected(c, weights);
  const Difference difference = compare(got, want.value, want.bound);
  CAPTURE(kernel.name, p.rows, p.heads, p.kv_heads, p.head_dim, c.last_valid, p.window, core::name_of(p.type),
          difference.text);
  CHECK(difference.non_finite == 0);
  CHECK(difference.worst_ratio <= 1.0);
  if (!control) return;
  const AttentionExpectation other = expected(with_one_value_wrong(c), weights);
  CHECK(compare(got, other.value, other.bound).worst_ratio > 1.0);
}

Problem small(DType type, std::int64_t rows, std::int64_t capacity) {
  Problem p;
  p.rows = rows;
  p.heads = 4;
  p.kv_heads = 2;
  p.head_dim = 16;
  p.capacity = capacity;
  p.type = type;
  return p;
}

DType type_at(std::int64_t i) { return i % 3 == 0 ? DType::f16 : i % 3 == 1 ? DType::bf16 : DType::f32; }

}  // namespace

TEST_CASE("attention agrees with the double reference at lengths around every chunk and bucket edge",
          "[gpu][attention]") {
  if (!gpu_ready()) return;
  int checked = 0;
  for (const Kernel& kernel : {kSplit, kTiled})
    for (const std::int64_t total : {1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256})
      for (const std::int64_t rows : {1, 2, 5}) {
        if (rows > total) continue;
        const AttentionCase c = make_attention_case(small(type_at(total + rows), rows, 256), total - rows, 7);
        check(kernel, c, total < 130 || !kEmulated);
        ++checked;
      }
  CHECK(checked == 72);
}

TEST_CASE("attention agrees with the double reference for head sizes 8 to 256 and 1 to 16 query heads per KV head",
          "[gpu][attention]") {
  if (!gpu_ready()) return;
  int checked = 0;
  for (const std::int64_t head_dim : {8, 16, 24, 64, 80, 96, 128, 136, 256})
    for (const std::int64_t group : {1, 5, 7, 16}) {
      Problem p = small(type_at(head_dim / 8 + group), group == 7 ? 3 : 2, 96);
      p.heads = 2 * group;
      p.head_dim = head_dim;
      if (kEmulated && head_dim > 64 && group != (head_dim == 136 ? 16 : 5)) continue;
      for (const Kernel& kernel : {kSplit, kTiled}) check(kernel, make_attention_case(p, 67, 3), head_dim < 100);
      ++checked;
    }
  CHECK(checked == (kEmulated ? 21 : 36));
}

TEST_CASE("attention honours window, softcap, sinks, bias and the lack of a causal mask, alone and together",
          "[gpu][attention]") {
  if (!gpu_ready()) return;
  std::vector<Problem> forms;
  const auto add = [&forms](auto change) {
    Problem p = small(type_at(static_cast<std::int64_t>(forms.size())), 3, 160);
    change(p);
    forms.push_back(p);
  };
  for (const std::int64_t window : {1, 3, 64, 100}) add([=](Problem& p) { p.window = window; });
  add([](Problem& p) { p.softcap = 2.0f; });
  add([](Problem& p) { p.smooth_softmax = true; });
  add([](Problem& p) { p.head_sink = true; });
  add([](Problem& p) { p.head_sink = true, p.window = 5, p.softcap = 3.0f; });
  add([](Problem& p) { p.smooth_softmax = true, p.window = 2; });
  add([](Problem& p) { p.bias_heads = 1; });
  add([](Problem& p) { p.bias_heads = 4, p.bias_row_stride = 160; });
  add([](Problem& p) { p.bias_heads = 4, p.softcap = 2.0f, p.window = 70; });
  add([](Problem& p) { p.causal = false; });
  add([](Problem& p) { p.causal = false, p.window = 66; });
  add([](Problem& p) { p.scale = 0.3f; });
  for (const DType type : {DType::f16, DType::f32})
    for (Problem p : forms) {
      if (type == DType::f32) p.type = p.type == DType::f32 ? DType::bf16 : DType::f32;
      for (const Kernel& kernel : {kSplit, kTiled}) check(kernel, make_attention_case(p, 130, 21), type == DType::f16);
    }
}

TEST_CASE("a row without keys becomes zero", "[gpu][attention]") {
  if (!gpu_ready()) return;
  for (const Kernel& kernel : {kSplit, kTiled})
    for (const DType type : {DType::f16, DType::f32}) {
      Problem p = small(type, 2, 64);
      p.window = 0;
      const AttentionCase c = make_attention_case(p, 9, 2);
      CHECK(run(kernel, c) == Bytes(c.query.size()));
    }
}

TEST_CASE("row r of attention has the bits of a call of its own, in a cache of any capacity", "[gpu][attention]") {
  if (!gpu_ready()) return;
  int compared = 0;
  for (const Kernel& kernel : {kSplit, kTiled})
    for (const std::int64_t heads : {2, 10, 32})
      for (const std::int64_t rows : {2, 3, 8, 17}) {
        if (kEmulated && heads == 32 && rows > 3) continue;
        Problem p = small(type_at(rows), rows, 128);
        p.heads = heads;
        p.window = rows == 3 ? 50 : -1;
        p.bias_heads = rows == 2 ? heads : 0;
        const AttentionCase c = make_attention_case(p, 58, 4);
        const Bytes together = run(kernel, c);
        const auto width = static_cast<std::ptrdiff_t>(core::bytes_of(p.type, heads * p.head_dim));
        for (std::int64_t row = 0; row < rows; row += kEmulated && rows > 3 ? 5 : 1) {
          const Bytes alone = run(kernel, single_row(c, row, row % 2 == 0 ? 128 : 576));
          CAPTURE(kernel.name, heads, rows, row);
          CHECK(alone == Bytes(together.begin() + row * width, together.begin() + (row + 1) * width));
          ++compared;
        }
      }
  CHECK(compared > 30);
}

TEST_CASE("programmatic launches of attention give the same bits as plain ones", "[gpu][attention]") {
  if (!gpu_ready()) return;
  Problem p = small(DType::f16, 2, 128);
  p.heads = 32;
  p.head_dim = kEmulated ? 64 : 128;
  const AttentionCase c = make_attention_case(p, 90, 4);
  for (const Kernel& kernel : {kSplit, kTiled})
    CHECK(run(kernel, c, Overlap::off) == run(kernel, c, Overlap::with_previous));
}

TEST_CASE("split attention agrees at the shapes of a layer of glm-4-9b and of qwen2.5-14b", "[gpu][attention]") {
  if (kEmulated) return skip_test("too large for the host emulation");
  if (!gpu_ready()) return;
  for (const std::int64_t past : {511, 512, 1023, 2040})
    for (const std::int64_t rows : {1, 2, 8})
      for (const std::int64_t heads : {32, 40}) {
        Problem p = small(DType::f16, rows, 4096);
        p.heads = heads;
        p.kv_heads = heads == 32 ? 2 : 8;
        p.head_dim = 128;
        for (const Kernel& kernel : {kSplit, kTiled}) check(kernel, make_attention_case(p, past, 9), false);
      }
}

TEST_CASE("an attention that the kernels cannot take is refused with rule, wanted and got", "[gpu][attention]") {
  if (!gpu_ready()) return;
  const core::Stream stream;
  Problem p = small(DType::f16, 1, 64);
  p.head_dim = 20;
  CHECK(to_string(eligible(p).reason()) == "head_dim: wanted a multiple of 8, 8 to 256, got 20");
  CHECK_THROWS(split(p, {}, stream));
  p.head_dim = 16;
  p.heads = 34;
  CHECK(to_string(eligible(p).reason()) == "query heads per KV head, at most: wanted 16, got 17");
  p.heads = 4;
  p.bias_heads = 3;
  CHECK(to_string(eligible(p).reason()) == "planes of the bias, one of: wanted 0, 1, 4, got 3");
}
