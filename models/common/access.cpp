#include "models/common/access.h"

#include <array>

namespace strata {

std::string_view to_text(AccessClass access_class) {
  static constexpr std::array<std::string_view, static_cast<int>(AccessClass::count_)> names = {
      "load", "read_only_load", "store", "atomic", "instruction", "texture", "constant", "writeback"};
  return names[static_cast<std::size_t>(access_class)];
}

}  // namespace strata
