#include "kernels/matmul/cuda/cublaslt.hpp"

#include <cublasLt.h>
#include <fmt/format.h>

#include "harness/core/cuda/memory.hpp"
#include "harness/core/cuda/shared_library.hpp"
#include "harness/core/error.hpp"

namespace gonogo::kernels::matmul::cuda {
namespace {

constexpr std::size_t kMostWorkspace = std::size_t{32} << 20;  // what cuBLASLt's documentation advises for Hopper
constexpr std::uint32_t kAlignment = 16;                       // bytes, what Args promises; cuBLASLt would assume 256

cudaDataType_t type_of(core::DType type) {
  return type == core::DType::f16 ? CUDA_R_16F : type == core::DType::bf16 ? CUDA_R_16BF : CUDA_R_32F;
}

}  // namespace

struct Lt::Api {
  core::SharedLibrary library{{"libcublasLt.so." + std::to_string(CUBLAS_VER_MAJOR), "libcublasLt.so"}};
  cublasLtHandle_t handle = nullptr;

#define GONOGO_LT(name) decltype(&::name) name = library.function<std::remove_pointer_t<decltype(&::name)>>(#name)
  GONOGO_LT(cublasLtCreate);
  GONOGO_LT(cublasLtDestroy);
  GONOGO_LT(cublasLtGetStatusString);
  GONOGO_LT(cublasLtMatmul);
  GONOGO_LT(cublasLtMatmulAlgoGetHeuristic);
  GONOGO_LT(cublasLtMatmulDescCreate);
  GONOGO_LT(cublasLtMatmulDescDestroy);
  GONOGO_LT(cublasLtMatmulDescSetAttribute);
  GONOGO_LT(cublasLtMatmulPreferenceCreate);
  GONOGO_LT(cublasLtMatmulPreferenceDestroy);
  GONOGO_LT(cublasLtMatmulPreferenceSetAttribute);
  GONOGO_LT(cublasLtMatrixLayoutCreate);
  GONOGO_LT(cublasLtMatrixLayoutDestroy);
#undef GONOGO_LT

  Api() { check(cublasLtCreate(&handle), "cublasLtCreate"); }
  ~Api() {
    if (handle != nullptr) static_cast<void>(cublasLtDestroy(handle));
  }
  Api(const Api&) = delete;
  Api& operator=(const Api&) = delete;

  void check(cublasStatus_t status, const char* call) const {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    throw core::EnvironmentError(
        fmt::format("{} of {} returned {}", call, library.name(), cublasLtGetStatusString(status)));
  }
};

/// cuBLASLt is column-major: y^T [n, m] = W times x^T [k, m], each with the row-major leading extent. Weights stored
/// [n, k] are a column-major [k, n], which is transposed; weights stored [k, n] are a column-major [n, k] as it lies.
struct LtPlan::State {
  std::shared_ptr<const Lt::Api> api;
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t w = nullptr;
  cublasLtMatrixLayout_t x = nullptr;
  cublasLtMatrixLayout_t y = nullptr;
  cublasLtMatmulAlgo_t algorithm{};
  std::size_t workspace = 0;

  explicit State(std::shared_ptr<const Lt::Api> lt) : api(std::move(lt)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (operation != nullptr) static_cast<void>(api->cublasLtMatmulDescDestroy(operation));
    for (cublasLtMatrixLayout_t layout : {w, x, y})
      if (layout != nullptr) static_cast<void>(api->cublasLtMatrixLayoutDestroy(layout));
  }

  void describe(const Problem& p) {
    const Lt::Api& lt = *api;
    lt.check(lt.cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F), "cublasLtMatmulDescCreate");
    const cublasOperation_t transposed = p.layout == Layout::n_k ? CUBLAS_OP_T : CUBLAS_OP_N;
    lt.check(lt.cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof(transposed)),
             "cublasLtMatmulDescSetAttribute");
    const auto layout = [&](cublasLtMatrixLayout_t& to, core::DType type, std::int64_t rows, std::int64_t columns) {
      lt.check(lt.cublasLtMatrixLayoutCreate(&to, type_of(type), static_cast<std::uint64_t>(rows),
                                             static_cast<std::uint64_t>(columns), rows),
               "cublasLtMatrixLayoutCreate");
    };
    if (p.layout == Layout::n_k) {
      layout(w, p.type, p.k, p.n);
    } else {
      layout(w, p.type, p.n, p.k);
    }
    layout(x, p.type, p.k, p.m);
    layout(y, p.output, p.n, p.m);
  }

  void choose(const Problem& p) {
    const Lt::Api& lt = *api;
    cublasLtMatmulPreference_t preference = nullptr;
    lt.check(lt.cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    const auto set = [&](cublasLtMatmulPreferenceAttributes_t name, auto value) {
      if (status == CUBLAS_STATUS_SUCCESS)
        status = lt.cublasLtMatmulPreferenceSetAttribute(preference, name, &value, sizeof(value));
    };
    set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kMostWorkspace);
    for (const auto operand : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                               CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
      set(operand, kAlignment);
    cublasLtMatmulHeuristicResult_t best{};
    int found = 0;
    if (status == CUBLAS_STATUS_SUCCESS)
      status = lt.cublasLtMatmulAlgoGetHeuristic(lt.handle, operation, w, x, y, y, preference, 1, &best, &found);
    static_cast<void>(lt.cublasLtMatmulPreferenceDestroy(preference));
    lt.check(status, "cublasLtMatmulAlgoGetHeuristic");
    if (found == 0)
      throw core::EnvironmentError(
          fmt::format("cuBLASLt has no algorithm for m {}, n {}, k {} of {}", p.m, p.n, p.k, core::name_of(p.type)));
    algorithm = best.algo;
    workspace = best.workspaceSize;
  }
};

Lt::Lt() : api_(std::make_shared<const Api>()) {}
Lt::~Lt() = default;
Lt::Lt(Lt&&) noexcept = default;
Lt& Lt::operator=(Lt&&) noexcept = default;

void Lt::run_transient(const Problem& problem, const Args& args, core::StreamRef stream) const {
  const LtPlan plan(*this, problem);
  const core::DeviceBuffer workspace(plan.workspace_bytes(), stream);
  plan.run(args, workspace.data(), stream);
}

LtPlan::LtPlan(const Lt& lt, const Problem& problem) : state_(std::make_unique<State>(lt.api_)) {
  const core::Eligibility answer = eligible(problem);
  GONOGO_EXPECT(static_cast<bool>(answer), "an eligible problem: " + to_string(answer.reason()));
  state_->describe(problem);
  state_->choose(problem);
}
LtPlan::~LtPlan() = default;
LtPlan::LtPlan(LtPlan&&) noexcept = default;
LtPlan& LtPlan::operator=(LtPlan&&) noexcept = default;

std::size_t LtPlan::workspace_bytes() const { return state_->workspace; }

void LtPlan::run(const Args& args, std::byte* workspace, core::StreamRef stream) const {
  const State& s = *state_;
  const float one = 1.0f;
  const float zero = 0.0f;
  s.api->check(s.api->cublasLtMatmul(s.api->handle, s.operation, &one, args.w, s.w, args.x, s.x, &zero, args.y, s.y,
                                     args.y, s.y, &s.algorithm, workspace, s.workspace, stream.get()),
               "cublasLtMatmul");
}

}  // namespace gonogo::kernels::matmul::cuda
