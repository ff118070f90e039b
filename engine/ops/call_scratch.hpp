// The scratch of one call: the caller's workspace, or memory allocated for this call by a transient kernel.
#pragma once

#include "engine/ops/op.hpp"
#include "harness/core/allocation.hpp"
#include "harness/core/scratch.hpp"

namespace gonogo::ops {

enum class Form {
  from_plan,  // "static": the caller gives the workspace
  per_call,   // "transient": allocated and freed by every call, as eager engines do; cannot be recorded
};

/// "static" or "transient" of a KernelChoice. Throws LogicError for any other word.
[[nodiscard]] Form form_of(const std::string& choice);
[[nodiscard]] std::string name_of(Form form);
/// Why a kernel of this form cannot be recorded, or accepted.
[[nodiscard]] core::Eligibility capture_of(Form form);

class CallScratch {
 public:
  CallScratch(const RunContext& context, Form form, std::size_t bytes)
      : own_(form == Form::per_call ? core::HostBuffer(bytes) : core::HostBuffer()),
        scratch_(form == Form::per_call ? std::span(own_.data(), own_.size()) : context.workspace) {}
  [[nodiscard]] core::Scratch& get() { return scratch_; }

 private:
  core::HostBuffer own_;
  core::Scratch scratch_;
};

}  // namespace gonogo::ops
