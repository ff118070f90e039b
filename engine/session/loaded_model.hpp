// The part of a model that sessions share: the mapped file, the graph as read, and the graph as rewritten.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/onnx/model.hpp"
#include "engine/plan/plan.hpp"
#include "engine/session/session.hpp"

namespace gonogo::engine {

/// When neither the graph nor a config says how long a text may get.
inline constexpr std::int64_t kDefaultContext = 4096;

class LoadedModel {
 public:
  explicit LoadedModel(const ModelSource& source);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::int64_t weight_bytes() const { return weight_bytes_; }
  /// Of every byte the model was loaded from; read on the first call.
  [[nodiscard]] const std::string& weights_hash() const;
  /// The graph under a stack's rewrites; one copy for all stacks that enable the same.
  [[nodiscard]] std::shared_ptr<const RewrittenGraph> rewritten(const Stack& stack) const;
  /// Most tokens the model holds: the smallest of the config's context length and the rows of the rotary tables.
  [[nodiscard]] std::int64_t context() const { return context_; }

 private:
  std::string name_;
  onnx::Model model_;
  graph::Graph graph_;
  std::int64_t weight_bytes_ = 0;
  std::int64_t context_ = kDefaultContext;
  mutable std::mutex mutex_;
  mutable std::string hash_;
  mutable std::map<std::vector<std::string>, std::weak_ptr<const RewrittenGraph>> rewritten_;
};

/// Rows of the smallest rotary table that an operator of the graph reads, or nothing when none does.
[[nodiscard]] std::optional<std::int64_t> rotary_rows(const graph::Graph& graph);

/// What the model and a plan of width 1 say; the weights' hash is left empty, because it reads every byte.
[[nodiscard]] ModelFacts facts_of(const LoadedModel& model, const Plan& plan);

}  // namespace gonogo::engine
