#pragma once

#include <algorithm>

#include "models/dram_channel/dram_command_attr.h"
#include "models/memory_controller/dram_address_decoder.h"
#include "models/memory_controller/line_bursts.h"
#include "models/memory_controller/memory_controller_core.h"
#include "models/tlm/block.h"
#include "models/tlm/txn_pool.h"

namespace strata {

/// The request of an access to a line at `where`, still without an owner.
inline DramRequest dram_request(const Access& access, const DramLocation& where, const LineBursts& bursts) {
  DramRequest request;
  request.bank = static_cast<std::uint8_t>(where.bank);
  request.row = where.row;
  request.column = where.column;
  request.write = is_write(access.access_class);
  request.atomic = access.access_class == AccessClass::atomic;
  request.sectors = bursts.sectors_in(access);
  request.bursts = static_cast<std::uint8_t>(bursts.count(request.sectors));
  request.application = access.application;
  request.id = access.line;
  return request;
}

/// The payload of a controller's commands. Every command ends before the next begins: one is enough.
class CommandPayload {
 public:
  explicit CommandPayload(const TimingSet& timing);
  ~CommandPayload();
  CommandPayload(const CommandPayload&) = delete;
  CommandPayload& operator=(const CommandPayload&) = delete;

  /// The payload, filled in for a command that issues in `cycle` (never: when it arrives).
  Txn& fill(const IssuedCommand& issued, Cycle cycle);
  Txn& txn() { return *txn_; }

 private:
  TxnPool pool_;
  DramCommandAttr attr_;
  Txn* txn_;
};

/// Charges a read's way through a controller to the ledger, split at the controller's milestones.
///
/// Cycles of the controller's clock become cycles of the ledger's with fractions cut off, so that no mark
/// lies after its true time.
class ReadLedger {
 public:
  ReadLedger(const Block& controller, const TimingSet& timing);
  /// `now`: the cycle of the last column command; `ledger`: the same on the ledger's clock.
  void charge(const DramRequest& request, Access& access, Cycle now, Cycle ledger) const;
  Place queue() const { return queue_; }
  Place bus() const { return bus_; }
  Place access() const { return access_place_; }

 private:
  Cycle span(Cycle cycles) const { return (cycles * ratio_) >> fraction_bits; }
  static constexpr int fraction_bits = 32;
  std::uint64_t ratio_;  // ledger cycles a cycle, in 2^-32, rounded down
  Cycle access_;         // from a column command to its data
  Cycle data_;           // to the end of its data
  Place queue_, activate_, conflict_, access_place_, bus_;
};

}  // namespace strata
