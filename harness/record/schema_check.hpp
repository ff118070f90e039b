// Checks a document against a JSON Schema (draft 7, the keywords that record.schema.json uses).
#pragma once

#include <optional>
#include <string>

#include "harness/record/json.hpp"

namespace gonogo::record {

struct SchemaFault {
  std::string place;  // key path; empty for the document itself
  std::string what;
};

/// The first fault found, or nullopt. Known keywords: $ref into #/definitions, type, enum, const, required, properties,
/// additionalProperties, items, minItems, minLength, minimum, oneOf. Throws core::LogicError for any other keyword, so
/// that nothing in the schema goes unchecked.
[[nodiscard]] std::optional<SchemaFault> schema_fault(const Json& document, const Json& schema);

}  // namespace gonogo::record
