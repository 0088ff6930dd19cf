#pragma once

#include "models/cache/prefetch_params.h"
#include "models/cache/set_index.h"
#include "models/common/params.h"
#include "models/common/storage.h"

namespace strata {

/// What the shell of every L1 offers. Default latency: 28 cycles (HPCA 2021, Table II).
struct L1Params : ParamSet, PrefetchParams {
  /// What stores to local memory do.
  enum class Local : int { as_global, write_back };

  int latency = 28;
  int miss_latency = 1;
  int port_cycles = 1;
  int banks = 1;
  Bytes bytes_per_cycle{0};
  Bytes request_bytes{0};
  int miss_queue = 8;
  int bank_queue = 0;
  int bank_mshrs = 0;
  int texture_sets = 0;
  int texture_ways = 24;
  Bytes texture_line{0};
  Local local = Local::as_global;
  int address_bits = strata::address_bits;
  HomeInterleave shared;  ///< a parameter of DC-L1 nodes: L1s of an SM have all lines

  /// From a load to its data when it hits, with all that a design adds.
  virtual int hit_latency() const { return latency; }
  /// What all banks give in a cycle, of an L1 with such lines.
  std::uint64_t bytes_or(Bytes line) const { return bytes_per_cycle.count != 0 ? bytes_per_cycle : line; }
  /// Requests that can wait for the link, behind banks and in the miss queue.
  int request_places() const { return miss_queue + banks * bank_queue; }
  /// Lines of the texture cache beside an L1 with such lines.
  Bytes texture_line_or(Bytes line) const { return texture_line.count != 0 ? texture_line : line; }
  /// Bits of a line's number, as storage counts them.
  std::uint64_t number_bits(Bytes line) const {
    return static_cast<std::uint64_t>(address_bits) - bits_for(line);
  }
  /// Shared memory of the SM takes a part of it.
  virtual bool is_carved() const { return false; }
  void for_each_param(ParamVisitor& visitor) override;
  /// Of a design that keeps no stores; `why`, in words.
  void append_local_fault(Faults& faults, const char* why) const;

 protected:
  /// For validate() of a design.
  void append_bank_faults(Faults& faults, Bytes line) const;
  void append_texture_faults(Faults& faults, Bytes line) const;
};

}  // namespace strata
