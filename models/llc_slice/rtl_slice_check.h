#pragma once

#include <deque>
#include <set>
#include <string>
#include <vector>

#include "models/llc_slice/llc_slice_core.h"
#include "models/llc_slice/rtl_slice.h"

namespace strata {

/// The model beside the RTL: its core takes the same requests and fills in the order of the RTL. Each
/// function says what differs, as "the model: ..., the RTL: ..."; empty: nothing.
class RtlSliceCheck {
 public:
  RtlSliceCheck(const LlcSliceParams& params, const AddressMap& map, int ids);

  /// `whole`: of its sectors all bytes.
  std::string decision(const RtlSliceOut& rtl, const Access& access, Cycle now, bool whole);
  std::string fill(Address line, const RtlSliceOut& rtl, Cycle now);
  /// A line leaves for memory.
  std::string write(Address line);
  std::string reply(int id);
  /// Nothing is under way, and a flush begins; the second: it is done.
  void flush(LlcFlush what);
  std::string flushed() const;
  std::uint64_t decisions() const { return decisions_; }

 private:
  std::string note_write(const MemoryWrite& write);
  LlcSliceParams params_;
  LlcSliceCore core_;
  std::vector<Access> copies_;  // of the requests under way, by id: the core keeps them in its MSHRs
  std::deque<Address> writes_;  // that the RTL has yet to send
  std::set<Address> flush_writes_;
  struct Reply {
    int id;
    Cycle since;
  };
  std::deque<Reply> replies_;
  std::uint64_t decisions_ = 0;
};

}  // namespace strata
