// Casts and strided copies.
#include <limits>

#include "kernels/activation/cuda/elementwise.cuh"

namespace gonogo::kernels::activation::cuda {
namespace {

template <class To>
struct Limits {  // constants, since device code does not call std::numeric_limits
  static constexpr To kLeast = std::numeric_limits<To>::min();
  static constexpr To kMost = std::numeric_limits<To>::max();
};

template <class To, class From>
__device__ __forceinline__ To converted(From value) {
  if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
    return static_cast<To>(value);
  } else if constexpr (std::is_integral_v<From>) {
    return ptx::from_float<To>(static_cast<float>(value));
  } else if constexpr (std::is_same_v<To, bool>) {
    return ptx::to_float(value) != 0.0f;
  } else if constexpr (std::is_integral_v<To>) {
    const float x = ptx::to_float(value);
    constexpr To kLeast = Limits<To>::kLeast;
    constexpr To kMost = Limits<To>::kMost;
    const float end = -static_cast<float>(kLeast);  // 2^31 or 2^63, exact
    return x != x ? To{0} : x >= end ? kMost : x < -end ? kLeast : static_cast<To>(x);
  } else {
    return ptx::from_float<To>(ptx::to_float(value));
  }
}

template <class From, class To>
__global__ void __launch_bounds__(kThreads) cast_kernel(const From* from, To* to, std::int64_t count) {
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const std::int64_t i = thread_index();
  if (i < count) to[i] = converted<To>(from[i]);
}

template <class U>
__global__ void __launch_bounds__(kThreads) copy_rows_kernel(const CopyRowsArgs args, std::int64_t units) {
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const std::int64_t i = thread_index();
  if (i >= args.rows * units) return;
  const std::int64_t row = i / units;
  const std::int64_t at = i % units * static_cast<std::int64_t>(sizeof(U));
  *reinterpret_cast<U*>(static_cast<char*>(args.to) + row * args.to_stride + at) =
      *reinterpret_cast<const U*>(static_cast<const char*>(args.from) + row * args.from_stride + at);
}

bool is_castable(core::DType type) {
  return core::is_float(type) || type == core::DType::i32 || type == core::DType::i64 || type == core::DType::boolean;
}

template <class F>
void by_castable(core::DType type, F&& f) {
  if (type == core::DType::i32) return f(std::int32_t{});
  if (type == core::DType::i64) return f(std::int64_t{});
  if (type == core::DType::boolean) return f(bool{});
  ptx::by_type(type, f);
}

}  // namespace

core::Eligibility cast_eligible(core::DType from_type, core::DType to_type) {
  for (const core::DType type : {from_type, to_type})
    if (!is_castable(type))
      return core::refuse("type to cast, one of", "float32, float16, bfloat16, int32, int64, bool",
                          std::string(core::name_of(type)));
  return core::accept();
}

void cast(core::DType from_type, const void* from, core::DType to_type, void* to, std::int64_t count,
          core::StreamRef stream) {
  const core::Eligibility answer = cast_eligible(from_type, to_type);
  GONOGO_EXPECT(static_cast<bool>(answer), to_string(answer.reason()));
  if (count == 0) return;
  by_castable(from_type, [&](auto from_zero) {
    using From = decltype(from_zero);
    by_castable(to_type, [&](auto to_zero) {
      using To = decltype(to_zero);
      core::launch(cast_kernel<From, To>, shape_for(count), stream, static_cast<const From*>(from),
                   static_cast<To*>(to), count);
    });
  });
}

void copy_rows(const CopyRowsArgs& args, core::StreamRef stream) {
  if (args.rows == 0 || args.width_bytes == 0) return;
  const auto go = [&](auto unit) {
    using U = decltype(unit);
    const std::int64_t units = args.width_bytes / static_cast<std::int64_t>(sizeof(U));
    core::launch(copy_rows_kernel<U>, shape_for(args.rows * units), stream, args, units);
  };
  const auto whole = [&](std::uint64_t unit) {
    const std::uint64_t all = reinterpret_cast<std::uintptr_t>(args.from) | reinterpret_cast<std::uintptr_t>(args.to) |
                              static_cast<std::uint64_t>(args.width_bytes | args.from_stride | args.to_stride);
    return all % unit == 0;
  };
  if (whole(16)) return go(uint4{});
  if (whole(2)) return go(std::uint16_t{});
  go(std::uint8_t{});
}

}  // namespace gonogo::kernels::activation::cuda
