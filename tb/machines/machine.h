#pragma once

#include <string>
#include <vector>

namespace strata::tb {

/// Arguments that stand and fall together: {"--set", "l1.ways=8"}, {"--no-repeat"}.
using Part = std::vector<std::string>;

/// A machine and what it runs, as `strata run` wants it: a platform, and parts that may be left out.
struct Machine {
  std::string platform;
  std::vector<Part> parts;
};

/// The words behind the program's name, without those that only say where results go.
std::vector<std::string> arguments_of(const Machine& machine);

/// `strata run ...`, ready to paste into a shell.
std::string command_line(const Machine& machine);

/// Position of the part `{option, value}`, or the number of parts.
std::size_t find_part(const Machine& machine, const std::string& option, const std::string& value);

}  // namespace strata::tb
