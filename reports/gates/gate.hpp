// A gate: a question about a run, and the bounds that answer it, frozen before measuring.
// File format: decisions/gates/README.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gonogo::reports {

enum class Comparison { at_most, at_least, equal };
/// "<=", ">=", "=="
[[nodiscard]] std::string symbol(Comparison comparison);

/// A number, or times * (a metric of the run, or of the record known as `baseline`) + plus.
struct Bound {
  double number = 0;
  std::string metric;    // a pattern; empty for a number
  std::string baseline;  // empty: the judged run itself
  double times = 1;
  double plus = 0;
  [[nodiscard]] bool is_number() const { return metric.empty(); }
};

struct Term {
  std::string metric;  // a pattern with {parameter} in label values
  std::string unit;
  Comparison comparison = Comparison::at_most;
  Bound go;
  std::optional<Bound> no_go;
};

struct Requirements {
  std::string device;               // "cpu", "cuda"; empty for any
  std::vector<std::string> models;  // any of them; empty for any
  std::vector<std::string> levers;  // all of them
};

struct Experiment {
  std::string command;
  double minutes = 0;
};

struct Gate {
  std::string id;
  std::int64_t version = 0;
  std::string frozen;  // YYYY-MM-DD
  std::string question;
  std::map<std::string, std::string> parameters;  // a value, "each", "smallest", "largest"
  std::vector<Term> terms;                        // all must pass
  std::vector<Term> proof;
  Requirements requires_;
  bool timing = false;
  std::int64_t min_samples = 0;
  Experiment experiment;
  std::string canonical;  // the file as compact JSON with sorted keys
  std::string hash;       // "sha256:" and 64 hex digits over `canonical`
};

/// Throws core::InputError with key path for an unknown key (with the nearest match), a missing or ill-typed one,
/// bounds in the wrong order, a metric pattern whose labels are out of order or whose placeholders and the parameters
/// do not match.
[[nodiscard]] Gate parse_gate(const std::string& text, const std::string& file);

/// Every *.json of a folder, by name. Throws core::InputError for a folder that cannot be read or holds none, for two
/// gates of one id, and as parse_gate.
[[nodiscard]] std::vector<Gate> load_gates(const std::filesystem::path& folder);

/// decisions/gates as it was at build time, compiled into the program.
[[nodiscard]] std::vector<Gate> shipped_gates();

}  // namespace gonogo::reports
