// Lowers a program to a plan; used by Plan's constructor only.
#pragma once

#include <vector>

#include "engine/plan/layout.hpp"
#include "engine/plan/plan.hpp"

namespace gonogo::engine {

class PlanBuilder {
 public:
  explicit PlanBuilder(Plan& plan);
  void build();

 private:
  /// Where the bytes of a value lie before the arena is laid out: in buffer `buffer`, `offset` bytes in.
  struct Home {
    Storage storage = Storage::absent;
    std::size_t buffer = 0;  // arena: index into extents_; cache: index of the cache buffer
    std::size_t offset = 0;
    const std::byte* constant = nullptr;
  };

  void infer_all();
  void narrow_to_last_row();
  void infer(std::size_t n);
  void place_inputs();
  void place_step(std::size_t n);
  [[nodiscard]] Home place_output(std::size_t n, std::size_t index);
  void keep_outputs();
  void lay_out_arena();
  void finish_steps();
  void choose_kernel(std::size_t n, PlanStep& step) const;

  [[nodiscard]] ops::ValueFacts facts_for(std::size_t n, graph::ValueId id) const;
  [[nodiscard]] bool takes_last_row(std::size_t n, graph::ValueId id) const;
  [[nodiscard]] std::vector<ops::ValueFacts> input_facts(std::size_t n) const;
  [[nodiscard]] Home home_for(std::size_t n, graph::ValueId id) const;
  [[nodiscard]] Operand operand(const ops::ValueFacts& facts, const Home& home) const;
  Home new_buffer(std::size_t bytes, int first, int last);
  void use(const Home& home, int step);
  [[nodiscard]] const graph::Graph& graph() const { return plan_.program_->graph(); }
  [[nodiscard]] const graph::Node& node(std::size_t n) const { return graph().nodes[n]; }

  Plan& plan_;
  std::vector<ops::ValueFacts> facts_;                 // by value
  std::vector<Home> homes_;                            // by value
  std::vector<bool> last_row_;                         // by node: runs on the last row only
  std::vector<int> producer_;                          // by value
  std::vector<std::vector<ops::ValueFacts>> outputs_;  // by node and output
  std::vector<std::vector<Home>> output_homes_;        // the same
  std::vector<Extent> extents_;                        // arena buffers
};

}  // namespace gonogo::engine
