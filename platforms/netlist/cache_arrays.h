#pragma once

#include "models/common/params.h"

namespace strata::platforms {

/// What the arrays of a cache are built as, where a netlist states it: for energy and area alone. 0: the
/// constants `l1.beats` and `l1.read_ports` say it of an L1; other caches read a line at once, with one port.
struct CacheArrays final : ParamSet {
  int bits = 0;
  int ports = 0;
  void for_each_param(ParamVisitor& v) override {
    v.integer({"array_bits", "bits",
               "data that the arrays of a cache read or write at once: a line takes as many beats"},
              bits, {32, 4096, true, true});
    v.integer({"array_ports", "ports",
               "1: to read and write; 2: one more to read, so that a fill goes beside a hit"},
              ports, {1, 2, false, true});
  }
};

}  // namespace strata::platforms
