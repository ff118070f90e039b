#include "reports/commands/command.hpp"

namespace gonogo::reports {

std::vector<std::unique_ptr<Command>> commands() {
  std::vector<std::unique_ptr<Command>> all;
  all.push_back(verdict_command());
  all.push_back(compare_command());
  all.push_back(pair_command());
  all.push_back(calibrate_command());
  all.push_back(selftest_command());
  all.push_back(arc_command());
  all.push_back(drop_command());
  all.push_back(verify_command());
  all.push_back(status_command());
  all.push_back(consolidate_command());
  all.push_back(html_command());
  all.push_back(predict_command());
  all.push_back(import_command());
  return all;
}

}  // namespace gonogo::reports
