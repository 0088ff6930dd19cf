#pragma once

#include <cstdint>

namespace strata {

/// A module that counts who makes whom miss in the LLC. A kernel is an application, or an SM of the platform.
class ContentionCountsIf {
 public:
  virtual bool by_sm() const = 0;
  /// That it has counters for.
  virtual int kernels() const = 0;
  virtual std::uint64_t misses(int kernel) const = 0;
  /// Steps that accesses of `aggressor` have pushed lines of `victim` down their stacks.
  virtual std::uint64_t demotions(int victim, int aggressor) const = 0;
  /// Lines of `victim` that made room for lines of `aggressor`.
  virtual std::uint64_t evictions(int victim, int aggressor) const = 0;
  /// Storage of all that it keeps.
  virtual std::uint64_t storage_bits() const = 0;

 protected:
  ~ContentionCountsIf() = default;
};

}  // namespace strata
