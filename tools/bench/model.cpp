#include "tools/bench/model.hpp"

#include <nlohmann/json.hpp>

namespace gonogo::bench {
std::unique_ptr<engine::Session> open_session(const Model& model, const engine::Stack& stack, const Options& options) {
  engine::SessionOptions session;
  session.stack = stack;
  session.threads = static_cast<int>(options.common.threads);
  return model.backend.open(model.loaded, session);
}

record::Json to_json(const engine::ModelFacts& f, const std::string& label) {
  return {{"name", f.name},
          {"label", label},
          {"weights_hash", f.weights_hash},
          {"layers", f.layers},
          {"hidden", f.hidden},
          {"heads", f.heads},
          {"kv_heads", f.kv_heads},
          {"head_dim", f.head_dim},
          {"vocab", f.vocab},
          {"context", f.context},
          {"io_dtype", f.io_dtype},
          {"weight_bytes", f.weight_bytes},
          {"bytes_per_token", f.step.bytes()},
          {"flops_per_token", f.step.flops}};
}

}  // namespace gonogo::bench
