// The command that measures one row again, in the words of the tool that measured it.
#include <fmt/format.h>

#include "reports/compare/comparison.hpp"

namespace gonogo::reports {
namespace {

std::string quoted(const std::string& text) {
  std::string result(1, '\'');
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string exactly(const std::string& name) {  // as a regular expression
  std::string result(1, '^');
  for (const char c : name) {
    if (std::string_view(".^$|()[]{}*+?\\").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result + "$";
}

bool is_plain(const std::string& word) {
  return !word.empty() && word.find_first_not_of(
                              "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "-_=./:,@%+") == std::string::npos;
}

std::string joined(const std::vector<std::string>& argv) {
  std::string line;
  for (const std::string& word : argv)
    line += fmt::format("{}{}", line.empty() ? "" : " ", is_plain(word) ? word : quoted(word));
  return line;
}

// "copy[Elements=1024 T=I32]" -> -b copy -a Elements=1024 -a T=I32
std::string nvbench_options(const std::string& name) {
  const auto open = name.find('[');
  std::string options = "-b " + quoted(name.substr(0, open));
  if (open == std::string::npos || name.back() != ']') return options;
  std::string axes = name.substr(open + 1, name.size() - open - 2);
  for (std::size_t at = 0; at < axes.size();) {
    const std::size_t end = std::min(axes.find(' ', at), axes.size());
    options += " -a " + quoted(axes.substr(at, end - at));
    at = end + 1;
  }
  return options;
}

// "pp512+tg128 @ d4096" -> -p, -n, -d or -pg
std::string llama_options(const std::string& name) {
  const auto number_after = [&](const char* mark) {
    const auto at = name.find(mark);
    return at == std::string::npos ? std::string()
                                   : name.substr(at + 2, name.find_first_not_of("0123456789", at + 2) - at - 2);
  };
  const std::string prompt = number_after("pp"), generated = number_after("tg");
  const auto depth = name.find("@ d");
  std::string options =
      !prompt.empty() && !generated.empty()
          ? fmt::format("-p 0 -n 0 -pg {},{}", prompt, generated)
          : fmt::format("-p {} -n {}", prompt.empty() ? "0" : prompt, generated.empty() ? "0" : generated);
  if (depth != std::string::npos) options += " -d " + name.substr(depth + 3);
  return options;
}

}  // namespace

std::string reproduce_command(const Comparison& comparison, const ComparedRow& row) {
  const auto& argv = comparison.cand.argv;
  const std::string program = argv.empty() ? "BENCHMARK" : joined({argv.front()});
  switch (comparison.cand.format) {
    case Format::gonogo_record:
      return joined(argv);
    case Format::google_benchmark:
      return fmt::format("{} --benchmark_filter={} --benchmark_repetitions=10", program, quoted(exactly(row.name)));
    case Format::nvbench:
      return fmt::format("{} {} --jsonbin out.json", program, nvbench_options(row.name));
    case Format::llama_bench:
      return fmt::format("llama-bench {} -r 10 -o json", llama_options(row.name));
    case Format::hyperfine:
      return fmt::format("hyperfine --export-json out.json {}", quoted(row.name));
    case Format::criterion:
      break;
  }
  return fmt::format("cargo bench -- --exact {}", quoted(row.name));
}

}  // namespace gonogo::reports
