#include "engine/ops/call_scratch.hpp"

namespace gonogo::ops {

Form form_of(const std::string& choice) {
  GONOGO_EXPECT(choice == "static" || choice == "transient", choice);
  return choice == "transient" ? Form::per_call : Form::from_plan;
}

std::string name_of(Form form) { return form == Form::per_call ? "transient" : "static"; }

core::Eligibility capture_of(Form form) {
  if (form == Form::per_call) return core::refuse("workspace from the plan", "static", "transient");
  return core::accept();
}

}  // namespace gonogo::ops
