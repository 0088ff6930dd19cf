#pragma once

#include <string>
#include <vector>

#include "traces/ptx/lanes/tensor_code.h"
#include "traces/ptx/text/module.h"

/// What matrix instructions are written with.
namespace strata::traces::ptx {

struct TensorShape {
  unsigned m = 0, n = 0, k = 0;
};
/// `m16n8k16`.
bool read_shape(const std::string& text, TensorShape& shape);
/// Shape, layouts and types of an instruction; types in the order in which they are written.
std::vector<Element> tensor_parts(const Instruction& i, TensorCode& code, std::vector<bool>& columns);

constexpr std::uint8_t pair_of(Element low, Element high) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(low) | static_cast<unsigned>(high) << 4);
}
constexpr bool is_real(Element e) {
  return e <= Element::e2m1;
}
/// Which only products with .kind know.
constexpr bool needs_kind(Element e) {
  return e >= Element::e3m2 && e <= Element::e2m1;
}
constexpr bool is_whole(Element e) {
  return e >= Element::int8;
}

}  // namespace strata::traces::ptx
