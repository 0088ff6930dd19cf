#include "traces/workloads/element_range.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace strata::traces {
namespace {

bool is_real(ElementType type) {
  return type == ElementType::f32 || type == ElementType::f64;
}
bool has_sign(ElementType type) {
  return to_text(type)[0] == 'i';
}
/// Of the magnitude; fills are worked out in 64 bits with a sign.
int magnitude_bits(ElementType type) {
  const int bits = static_cast<int>(8 * element_bytes(type));
  return has_sign(type) ? bits - 1 : std::min(bits, 63);
}

}  // namespace

std::vector<double> extremes(const WorkloadBuffer& buffer) {
  const double first = buffer.fill.first, second = buffer.fill.second;
  const double last = buffer.count == 0 ? 0 : static_cast<double>(buffer.count - 1);
  switch (buffer.fill.kind) {
    case BufferFill::Kind::value:
      return {first};
    case BufferFill::Kind::uniform:
      return {first, second};
    case BufferFill::Kind::index:
      return {first, first + last * second};
    case BufferFill::Kind::permutation:
      return {last};
    default:
      return {};
  }
}

bool can_hold(ElementType type, double value) {
  if (is_real(type)) return true;
  const double end = std::ldexp(1.0, magnitude_bits(type)), whole = std::trunc(value);
  return (has_sign(type) ? -end : 0) <= whole && whole < end;
}

std::string range_of(ElementType type) {
  if (is_real(type)) return "any";
  const std::uint64_t end = std::uint64_t{1} << magnitude_bits(type);
  return (has_sign(type) ? "-" + std::to_string(end) : "0") + " to " + std::to_string(end - 1);
}

}  // namespace strata::traces
