#pragma once

#include <cstdint>

namespace strata {

/// What a flush drops when every dirty line is written back.
enum class LlcFlush : std::uint8_t {
  all,       // every line
  replicas,  // lines that read-only loads brought to a slice which is not theirs by address; writes nothing
  none,      // write back only
};

}  // namespace strata
