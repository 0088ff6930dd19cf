#pragma once

#include <cstdint>

#include "models/common/instruction_source.h"

namespace strata::cuda::blas {

/// A vector as kernels take it: a negative step begins at its end (BLAS).
struct Vector {
  Vector(const void* from, int n, int step, unsigned bytes)
      : at(reinterpret_cast<Address>(from)), step_bytes(static_cast<std::int64_t>(step) * bytes) {
    if (step < 0) at += static_cast<Address>((1 - static_cast<std::int64_t>(n)) * step_bytes);
  }
  Address at;
  std::int64_t step_bytes;
};

}  // namespace strata::cuda::blas
