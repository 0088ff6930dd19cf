#pragma once

#include "models/common/params.h"

namespace strata::platforms {

/// Array organization of a cache, if a netlist states it: used only for energy and area. 0: for an L1 the
/// constants `l1.beats` and `l1.read_ports`; other caches read a line at once, through one port.
struct CacheArrays final : ParamSet {
  int bits = 0;
  int ports = 0;
  void for_each_param(ParamVisitor& v) override {
    v.integer({"array_bits", "bits",
               "data that the arrays of a cache read or write at once: a line takes as many beats"},
              bits, {32, 4096, true, true});
    v.integer(
        {"array_ports", "ports",
         "1: one for reads and writes; 2: one more for reads, so that a fill and a hit can share a cycle"},
        ports, {1, 2, false, true});
  }
};

}  // namespace strata::platforms
