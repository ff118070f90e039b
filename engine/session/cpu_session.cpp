// Sessions on the CPU backend.
#include <fmt/format.h>

#include <utility>

#include "engine/session/cpu_executor.hpp"
#include "engine/session/engine_session.hpp"
#include "harness/core/error.hpp"

namespace gonogo::engine {
namespace {

kernels::Threads threads_for(int wanted) {
  if (wanted < 0) throw core::UsageError(fmt::format("threads: wanted at least 1, got {}", wanted));
  return {wanted == 0 ? kernels::available_threads() : wanted};
}

}  // namespace

std::unique_ptr<Session> open_cpu_session(std::shared_ptr<const LoadedModel> model, const SessionOptions& options) {
  const kernels::Threads threads = threads_for(options.threads);
  Backend backend;
  backend.name = "cpu";
  backend.storage = [](const std::vector<KvShape>& shapes) { return std::make_unique<HostKvStorage>(shapes); };
  backend.executor = [threads](std::shared_ptr<const Program> program, const KvCache& cache) {
    return std::make_unique<CpuExecutor>(std::move(program), cache, threads);
  };
  return std::make_unique<EngineSession>(std::move(model), options, std::move(backend));
}

std::unique_ptr<Session> open_cpu_session(const ModelSource& source, const SessionOptions& options) {
  return open_cpu_session(load_model(source), options);
}

}  // namespace gonogo::engine
