#pragma once

#include <cstdint>
#include <vector>

#include "models/cache/llc_set_index.h"
#include "models/common/access.h"
#include "models/llc_predictors/bandwidth_model.h"

namespace strata {

/// One lookup of the LLC, as recorded from a run, in order of arrival.
struct LlcLookup {
  std::uint64_t number = 0;  ///< line number
  Cycle cycle = 0;
  std::uint16_t channel = 0;        ///< memory controller of the address
  std::uint16_t address_slice = 0;  ///< slice of the controller that the address names
  std::uint32_t set = 0;            ///< set in any slice
  std::uint16_t cluster = 0;
  std::uint16_t sm = 0;
  AccessClass access_class = AccessClass::load;
};

/// The LLC that a stream is replayed on.
struct HeadroomParams {
  int clusters = 8;
  int channels = 8;
  int slices = 8;  // per channel
  int slice_sets = 48;
  int ways = 16;
  std::uint64_t window = 1000;       // cycles of the LSP windows
  bool replicate_read_only = false;  // true: only read-only loads have copies (SelRep); else all but atomics
  BandwidthParams bandwidth;         // memory: all of it
  int line_bytes = 128;
};

/// The result of one organization for the stream.
struct HeadroomResult {
  std::uint64_t accesses = 0;
  std::uint64_t hits = 0;
  std::uint64_t busiest = 0;  ///< accesses of the busiest slice
  double lsp = 0;             ///< over windows, all slices
  double bandwidth = 0;       ///< bottleneck model, bytes per cycle, no limit of the network
  double hit_rate() const {
    return accesses == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(accesses);
  }
};

/// The stream under `degree` copies with LRU: 1 is full sharing, `slices` full replication.
HeadroomResult replay_degree(const std::vector<LlcLookup>& stream, const HeadroomParams& params, int degree);
/// Belady's OPT on the sets of `degree` copies: a miss may bypass the cache when its own next use is
/// furthest.
HeadroomResult replay_opt(const std::vector<LlcLookup>& stream, const HeadroomParams& params, int degree);
/// LLC of infinite capacity: only first touches (of each copy) miss.
HeadroomResult replay_infinite(const std::vector<LlcLookup>& stream, const HeadroomParams& params,
                               int degree);

/// Keeps the stream of lookups of a run for the headroom analyses, up to a limit.
class LookupRecorder {
 public:
  /// `slice_sets` and `kind` as in the slices; `map` must outlive the recorder. A lookup takes 40 bytes.
  LookupRecorder(const AddressMap& map, std::uint64_t slice_sets, SetIndex::Kind kind, std::size_t limit)
      : map_(map),
        set_of_(slice_sets, kind, map),
        line_bits_(__builtin_ctzll(map.line_bytes())),
        limit_(limit) {}

  void record(const Access& access, Cycle now) {
    if (lookups_.size() == limit_) {
      ++dropped_;
      return;
    }
    const Location where = map_.locate(access.line);
    LlcLookup lookup;
    lookup.number = access.line >> line_bits_;
    lookup.cycle = now;
    lookup.channel = static_cast<std::uint16_t>(where.channel);
    lookup.address_slice = static_cast<std::uint16_t>(where.slice);
    lookup.set = set_of_(access.line);
    lookup.cluster = access.cluster;
    lookup.sm = access.sm;
    lookup.access_class = access.access_class;
    lookups_.push_back(lookup);
  }
  const std::vector<LlcLookup>& lookups() const { return lookups_; }
  std::uint64_t dropped() const { return dropped_; }  ///< beyond the limit

 private:
  const AddressMap& map_;
  LlcSetIndex set_of_;
  int line_bits_;
  std::size_t limit_;
  std::uint64_t dropped_ = 0;
  std::vector<LlcLookup> lookups_;
};

}  // namespace strata
