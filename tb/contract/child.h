#pragma once

#include <functional>
#include <string>
#include <vector>

namespace strata::contract {

/// What a piece of work says, line by line; a line may hold any text.
using Say = std::function<void(const std::string& line)>;

/// How work in a process of its own ended.
struct ChildEnding {
  std::vector<std::string> said;
  std::string
      broke;  ///< empty: it came to its end; else "ended by SIGSEGV (...)", "took more than 20 s", ...
};

/// Does `work` in a process of its own, forked from this one: SystemC elaborates once in a process, and a
/// module under test may do anything. What it writes to stdout and stderr is part of `broke`.
ChildEnding in_child(const std::function<void(const Say&)>& work, unsigned cpu_seconds = 20);

}  // namespace strata::contract
