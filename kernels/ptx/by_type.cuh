// Runs a generic function for the device type of a DType: f(__half{}), f(__nv_bfloat16{}) or f(float{}).
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <string>

#include "harness/core/dtype.hpp"
#include "harness/core/error.hpp"

namespace gonogo::kernels::ptx {

template <class F>
void by_type(core::DType type, F&& f) {
  switch (type) {
    case core::DType::f16:
      return f(__half{});
    case core::DType::bf16:
      return f(__nv_bfloat16{});
    case core::DType::f32:
      return f(float{});
    default:
      break;
  }
  GONOGO_EXPECT(false, "float16, bfloat16 or float32, got " + std::string(core::name_of(type)));
}

}  // namespace gonogo::kernels::ptx
