#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>

namespace strata::traces {

/// A fault of an expression, and the position of its character (from 0).
struct ExpressionFault : std::runtime_error {
  ExpressionFault(const std::string& message, std::size_t at) : std::runtime_error(message), offset(at) {}
  std::size_t offset;
};

/// Named integers of a workload: scale values, derived values, loop indices.
using ValueTable = std::map<std::string, std::int64_t>;

/// Evaluates an integer expression: `+ - * / %` (division towards zero, as in C), `<< >>`, comparisons (1 or
/// 0), `c ? a : b`, brackets, and the functions min, max, ceil_div, log2 (of the next power of two). Throws
/// ExpressionFault for anything else, an unknown name (with the nearest), overflow and division by zero.
std::int64_t evaluate(const std::string& text, const ValueTable& values);

}  // namespace strata::traces
