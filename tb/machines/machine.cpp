#include "tb/machines/machine.h"

#include <algorithm>

namespace strata::tb {

std::vector<std::string> arguments_of(const Machine& machine) {
  std::vector<std::string> words = {"run", machine.platform};
  for (const Part& part : machine.parts) words.insert(words.end(), part.begin(), part.end());
  return words;
}

std::string command_line(const Machine& machine) {
  std::string text = "strata";
  for (const std::string& word : arguments_of(machine)) {
    const bool plain = word.find_first_of(" \t'\"\\$*?;&|<>()[]~#") == std::string::npos && !word.empty();
    text += plain ? " " + word : " '" + word + "'";
  }
  return text;
}

std::size_t find_part(const Machine& machine, const std::string& option, const std::string& value) {
  const Part wanted = {option, value};
  return static_cast<std::size_t>(std::find(machine.parts.begin(), machine.parts.end(), wanted) -
                                  machine.parts.begin());
}

}  // namespace strata::tb
