#include "models/common/access.h"

#include <stdexcept>
#include <string>

#include "models/common/named.h"

namespace strata {

std::string_view to_text(AccessClass access_class) {
  using C = AccessClass;
  static constexpr Named<C> names[] = {{C::load, "load"},
                                       {C::read_only_load, "read_only_load"},
                                       {C::store, "store"},
                                       {C::atomic, "atomic"},
                                       {C::instruction, "instruction"},
                                       {C::texture, "texture"},
                                       {C::constant, "constant"},
                                       {C::writeback, "writeback"}};
  static_assert(names_all(names, C::writeback));
  return row_of_value(names, access_class).name;
}

void Access::ask_parts(PartMask asked) {
  parts = asked;
  const unsigned words = static_cast<unsigned>(sector_count()) * (sector_bytes / word_bytes);
  const auto named = static_cast<unsigned>(__builtin_popcount(asked)) * (part_bytes / word_bytes);
  spare_words = static_cast<std::uint8_t>(asked == 0 ? 0 : words - named);
}

void Access::push_far(int port) {
  if (depth < max_hops) {
    far_route[depth++ - near_hops] = static_cast<std::uint16_t>(port);
    return;
  }
  throw std::length_error("an access has passed " + std::to_string(max_hops) +
                          " L1s, routers and LLC slices and comes to another one; allowed: " +
                          std::to_string(max_hops) + " on its way");
}

}  // namespace strata
