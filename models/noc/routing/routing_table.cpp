#include "models/noc/routing/routing_table.h"

#include <sstream>

#include "models/noc/router/router_stage_params.h"

namespace strata {
namespace {

/// Removes the number at the beginning of `text` and returns it; -1 for none, or for more than four digits.
int take_number(std::string& text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0 || digits > 4) return -1;
  const int number = std::stoi(text.substr(0, digits));
  text.erase(0, digits);
  return number;
}

}  // namespace

std::optional<std::vector<RouteStep>> read_route_table(const std::string& text) {
  std::vector<RouteStep> steps;
  std::istringstream words(text + ",");
  for (std::string word; std::getline(words, word, ',');) {
    word.erase(0, word.find_first_not_of(' '));
    word.erase(word.find_last_not_of(' ') + 1);
    RouteStep step{take_number(word)};
    if (step.output < 0) return std::nullopt;
    if (!word.empty() && word.front() == '.') {
      word.erase(0, 1);
      step.vc = take_number(word);
      if (step.vc < 0) return std::nullopt;
    }
    if (!word.empty()) return std::nullopt;
    steps.push_back(step);
  }
  return steps;
}

RoutingTable::RoutingTable(const RouterStageParams& params, const AddressMap& map)
    : destination_(params.route), map_(map), steps_(read_route_table(params.table).value()) {}

RouteStep RoutingTable::route(const Access& access, int) const {
  return steps_[destination_of(destination_, map_, access) % steps_.size()];
}

}  // namespace strata
