#include "harness/record/run_record.hpp"

namespace gonogo::record {
namespace {

std::string last_component(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  const auto slash = path.rfind('/');
  return slash == std::string::npos || path.size() == 1 ? path : path.substr(slash + 1);
}

bool is_machine_path(const std::string& text) { return !text.empty() && (text[0] == '/' || text[0] == '~'); }

}  // namespace

std::string path_free(const std::string& text) {
  if (is_machine_path(text)) return last_component(text);
  // "--json=/tmp/x.json"
  const auto equals = text.find('=');
  if (text.rfind("-", 0) == 0 && equals != std::string::npos && is_machine_path(text.substr(equals + 1)))
    return text.substr(0, equals + 1) + last_component(text.substr(equals + 1));
  return text;
}

}  // namespace gonogo::record
