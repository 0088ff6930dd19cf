#pragma once

#include <map>
#include <vector>

#include "models/llc_slice/llc_slice_core.h"
#include "tb/property/parts.h"

namespace strata::tb {

/// An LLC slice with sectors as its description has it: sets are lists of lines, masks are sets of numbers,
/// nothing is fast.
class NaiveSlice {
 public:
  /// What it says of an access, and the core must say.
  struct Said {
    LlcOutcome outcome = LlcOutcome::hit;
    LlcStall stall = LlcStall::none;
    unsigned fetched = 0;  // sectors
    Address written = 0;
    unsigned written_sectors = 0;
  };

  /// What is written to memory with a fill, and who is answered.
  struct Filled {
    std::vector<std::size_t> answered;
    std::map<Address, unsigned> written;
  };

  NaiveSlice(const LlcSliceParams& params, int sector_sectors)
      : params_(params), sector_(sector_sectors), sets_(params.sets()) {}

  Said begin(std::size_t id, const Access& access, bool reply_room);
  bool can_fill(std::uint64_t number);
  Filled fill(std::uint64_t number, unsigned sectors);
  unsigned valid(std::uint64_t number);
  std::uint64_t dirty_lines() const;
  int queued = 0;  // writes

 private:
  struct Line {
    std::uint64_t number;
    Parts valid, dirty;  // sectors
    long used;
    bool reserved;
  };
  struct Waiter {
    std::size_t id;
    bool writes;
    unsigned sectors;
    Parts waits, brings;  // sectors
  };
  struct Fetch {
    Parts under_way;
    std::vector<Waiter> waiters;
    int joined = 0;
  };
  // Nobody else may wait: for the line, or where sectors have MSHRs of their own for one of these.
  bool is_full(const Fetch& fetch, const Parts& sectors) const;
  std::vector<Line>& set_of(std::uint64_t number) { return sets_[number % sets_.size()]; }
  Line* find(std::uint64_t number);
  unsigned sectors_in(const Parts& sectors) const;
  bool queue_full() const { return queued == params_.write_queue; }
  /// The least recently used line that is not reserved; null when there is an empty way.
  Line* oldest(std::uint64_t number);
  bool room_for(std::uint64_t number) {
    return static_cast<int>(set_of(number).size()) < params_.ways || oldest(number) != nullptr;
  }
  bool may_evict(std::uint64_t number) { return !queue_full() || may_evict(number, 1); }
  bool may_evict(std::uint64_t number, int) {
    const Line* line = oldest(number);
    return line == nullptr || line->dirty.empty();
  }
  Line& place(std::uint64_t number, Address& written, unsigned& written_sectors);

  LlcSliceParams params_;
  int sector_;  // sectors
  std::vector<std::vector<Line>> sets_;
  std::map<std::uint64_t, Fetch> fetches_;
  long now_ = 0;
};

}  // namespace strata::tb
