#include "traces/workloads/definition.h"

namespace strata::traces {
namespace {

constexpr const char* type_names[] = {"u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f32", "f64"};
constexpr std::uint32_t type_bytes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};

}  // namespace

std::uint32_t element_bytes(ElementType type) {
  return type_bytes[static_cast<std::size_t>(type)];
}

const char* to_text(ElementType type) {
  return type_names[static_cast<std::size_t>(type)];
}

}  // namespace strata::traces
