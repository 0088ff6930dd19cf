#pragma once

#include <deque>
#include <vector>

#include "models/dram_channel/dram_command_attr.h"
#include "models/memory_controller/bank_calendar_lt.h"
#include "models/memory_controller/memory_controller_stats.h"
#include "models/tlm/lt_ports.h"
#include "models/tlm/module_kind.h"
#include "models/tlm/time_heap.h"

namespace strata {

/// A memory controller behind b_transport: first come, first served banks with row state (BankCalendarLt)
/// instead of FR-FCFS over queues.
///
/// A read is accepted when the read queue has a place. Writes are
/// acknowledged a cycle after that; they are kept until the high watermark and then issued down to the low
/// one, with one turn of the bus, or at once while no read is under way. Page policy open, no refresh.
class MemoryControllerLt final : public LtBlock {
 public:
  /// Throws ConfigError when the parameters ask for what only the at version has.
  MemoryControllerLt(sc_core::sc_module_name name, const MemoryControllerParams& params,
                     const BuildContext& context);
  ~MemoryControllerLt() override;

  LtAnswer transport(Txn& txn, int port, Cycle at) override;
  unsigned debug(tlm::tlm_generic_payload& payload, int port) override;
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override { stats_ = {}; }
  void settle(Cycle now) override;

  LtTargetPort& slice(int index) { return slice_ports_[static_cast<std::size_t>(index)]; }
  LtInitiatorPort& channel() { return channel_; }

 private:
  struct Write {
    Address line;
    std::uint8_t chunks;
    Cycle accepted;
  };
  Cycle accept_read(Cycle at);
  LtAnswer read(Txn& txn, Cycle at);
  LtAnswer write(Access& access, Cycle at);
  void drain(std::size_t until, Cycle now);
  const Write* find_write(Address line) const;
  BankCalendarLt::Service serve(Address line, bool is_write, Cycle accepted);
  Cycle issue(DramCommand command, const DramLocation& where, Address line, Cycle at);
  void charge(Access& access, const BankCalendarLt::Service& service) const;

  MemoryControllerParams params_;
  const AddressMap& map_;
  DramAddressDecoder decoder_;
  BankCalendarLt banks_;
  TimeHeap read_queue_;  // when the reads in it leave
  std::vector<Write> writes_;
  std::size_t high_;            // drain from this many writes on
  std::size_t low_;             // until this few are left
  Cycle reads_end_ = 0;         // end of the last data of a read
  std::uint64_t ledger_ratio_;  // ledger cycles a cycle, in 2^-32, rounded down
  MemoryControllerStats stats_;
  TxnPool pool_;
  DramCommandAttr command_attr_;
  Txn* command_;
  std::deque<LtTargetPort> slice_ports_;
  LtInitiatorPort channel_;
};

}  // namespace strata
