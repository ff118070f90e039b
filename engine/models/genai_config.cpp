#include "engine/models/genai_config.hpp"

#include <nlohmann/json.hpp>

#include "engine/models/graph_writer.hpp"

namespace gonogo::models {

std::string genai_config(const ModelSpec& spec) {
  using Json = nlohmann::ordered_json;
  Json providers = Json::array();
  if (spec.io == core::DType::f16) providers.push_back({{"cuda", {{"enable_cuda_graph", "0"}}}});
  Json decoder = {
      {"session_options", {{"log_id", "onnxruntime-genai"}, {"provider_options", providers}}},
      {"filename", kModelFile},
      {"head_size", spec.head_dim},
      {"hidden_size", spec.hidden},
      {"inputs",
       {{"input_ids", "input_ids"},
        {"attention_mask", "attention_mask"},
        {"past_key_names", "past_key_values.%d.key"},
        {"past_value_names", "past_key_values.%d.value"}}},
      {"outputs",
       {{"logits", "logits"}, {"present_key_names", "present.%d.key"}, {"present_value_names", "present.%d.value"}}},
      {"num_attention_heads", spec.heads},
      {"num_hidden_layers", spec.layers},
      {"num_key_value_heads", spec.kv_heads}};
  Json config = {{"model",
                  {{"bos_token_id", 1},
                   {"context_length", spec.context},
                   {"decoder", decoder},
                   {"eos_token_id", 2},
                   {"pad_token_id", 0},
                   {"type", name_of(spec.family)},
                   {"vocab_size", spec.vocab}}},
                 {"search",
                  {{"do_sample", false},
                   {"early_stopping", true},
                   {"max_length", spec.context},
                   {"min_length", 0},
                   {"num_beams", 1},
                   {"num_return_sequences", 1},
                   {"past_present_share_buffer", true},
                   {"repetition_penalty", 1.0},
                   {"temperature", 1.0},
                   {"top_k", 50},
                   {"top_p", 1.0}}}};
  return config.dump(4) + "\n";
}

}  // namespace gonogo::models
