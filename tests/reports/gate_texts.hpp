// Gate files for tests, made from parts.
#pragma once

#include <string>

#include "reports/gates/gate.hpp"

namespace gonogo::tests {

/// A whole gate file with these terms and these further keys (each followed by a comma).
inline std::string gate_text(const std::string& terms, const std::string& more = "", const std::string& id = "g") {
  return R"({"schema": "gonogo/gate", "schema_version": 1, "id": ")" + id +
         R"(", "version": 1, "frozen": "2026-11-30", "question": "?", )" + more + R"("terms": [)" + terms +
         R"(], "experiment": {"command": "run )" + id + R"(", "minutes": 1}})";
}

inline std::string term_text(const std::string& metric, const std::string& comparison, const std::string& go,
                             const std::string& more = "") {
  return R"({"metric": ")" + metric + R"(", "unit": "1", "comparison": ")" + comparison + R"(", "go": )" + go + more +
         "}";
}

inline reports::Gate gate(const std::string& terms, const std::string& more = "", const std::string& id = "g") {
  return reports::parse_gate(gate_text(terms, more, id), id + ".json");
}

}  // namespace gonogo::tests
