#pragma once

#include <string>
#include <vector>

#include "traces/ptx/provenance/provenance.h"

namespace strata::traces::ptx {

/// What the provenance of a kernel's accesses says about its pointers, whatever the launch.
class Verdict {
 public:
  explicit Verdict(const DecodedKernel& kernel);

  const Provenance& provenance() const { return found_; }
  /// Origins whose data the kernel loads or stores; numbers that are only added to pointers are not among
  /// them.
  OriginSet pointers() const { return pointers_; }
  OriginSet read_only() const { return pointers_ & ~spoiled_; }
  /// What spoils origin `n`; nullptr: nothing.
  const TracedAccess* spoiler(std::size_t n) const;
  /// The load finds data that nothing in the kernel writes.
  bool proved(const TracedAccess& load) const;
  /// A store that may go anywhere; nullptr: none.
  const TracedAccess* anywhere() const { return anywhere_; }
  /// Origins of an access without the numbers.
  OriginSet pointers_of(const TracedAccess& access) const { return access.origins & ~numbers_; }

 private:
  void find_numbers();

  Provenance found_;
  OriginSet numbers_ = 0, pointers_ = 0, spoiled_ = 0;
  std::vector<const TracedAccess*> spoilers_;
  const TracedAccess* anywhere_ = nullptr;
};

/// `x`, or `x+8` inside a structure.
std::string origin_name(const DecodedKernel& kernel, const Origin& origin);

/// Throws TraceError when a `ld.global.ro` of the kernel loads what the kernel writes.
void check_marked_loads(const DecodedKernel& kernel);

}  // namespace strata::traces::ptx
