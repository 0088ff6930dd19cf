#pragma once

#include <array>
#include <deque>
#include <optional>
#include <utility>

#include "models/common/cold_state_if.h"
#include "models/memory_controller/command_payload.h"
#include "models/memory_controller/dram_address_decoder.h"
#include "models/memory_controller/memory_controller_core.h"
#include "models/memory_controller/request_tail.h"
#include "models/tlm/module_kind.h"
#include "models/tlm/payload_bytes.h"
#include "models/tlm/ports.h"

namespace strata {

/// A memory controller but for the time that its requests and replies take.
class MemoryControllerShell : public Block, public ColdStateIf {
 public:
  static constexpr bool carries_data = true;
  unsigned debug(tlm::tlm_generic_payload& payload, int) override { return channel_.debug(payload); }
  const StatSet& stats() const override { return core_.stats(); }
  void reset_stats() override {
    catch_up(clock().now());
    core_.reset_stats();
  }
  void settle(Cycle now) override { catch_up(now); }
  bool make_cold() override;

  TargetPort& slice(int index) { return slice_ports_[static_cast<std::size_t>(index)]; }
  InitiatorPort& channel() { return channel_; }
  const MemoryControllerCore& core() const { return core_; }
  const MemoryControllerParams& params() const { return params_; }
  /// Where it puts the line of an access in its channel.
  DramLocation location_of(const Access& access) const { return locate(access); }

 protected:
  /// `units`: of the wheel; the first is the scheduler.
  MemoryControllerShell(sc_core::sc_module_name name, const MemoryControllerParams& params,
                        const BuildContext& context, int units)
      : Block(name, context.clock, units, context.place_as(Role::memory)),
        params_(params),
        map_(context.map),
        decoder_(params),
        core_(params),
        read_ledger_(*this, params.timing),
        tail_(read_ledger_.queue()),
        command_(params.timing),
        channel_(*this, "channel", 0),
        carries_data_(context.clock.carries_data()) {
    if (params.line != map_.line_bytes())
      throw ConfigError(
          Faults{param_fault("line", "is " + to_text(params.line) + " but lines of the address map have " +
                                         to_text(Bytes(map_.line_bytes())))});
    for (int i = 0; i < params.slices; ++i) slice_ports_.emplace_back(*this, "slice", i);
  }

  void end_of_elaboration() override { tail_.find_links(slice_ports_); }
  /// The channel executes a command as of cycle `cycle`.
  virtual void issue(const IssuedCommand& issued, Cycle cycle) = 0;

  DramLocation locate(const Access& access) const {
    return decoder_.decode(index_in_controller(map_, access.line, params_.controllers_per_channel));
  }
  /// What an idle channel owes is issued as of the cycles in which it was due.
  void catch_up(Cycle now) {
    while (core_.owed() <= now) {
      const Cycle cycle = core_.owed();
      std::array<IssuedCommand, 2> issued;
      const int count = core_.advance(cycle, issued);
      for (int i = 0; i < count; ++i) issue(issued[static_cast<std::size_t>(i)], cycle);
    }
  }
  /// The contents of memory change, and are read, in the order in which requests are accepted.
  void move_bytes(Txn& txn);
  /// Book the scheduler for `next` at the latest.
  void wake(Cycle next) {
    if (next >= booked_) return;
    booked_ = next;
    book(next);
  }

  const MemoryControllerParams params_;
  const AddressMap& map_;
  DramAddressDecoder decoder_;
  MemoryControllerCore core_;
  Cycle booked_ = never;
  Cycle made_cold_ = 0;  // last cycle of make_cold()
  ReadLedger read_ledger_;
  RequestTail tail_;
  CommandPayload command_;
  std::deque<TargetPort> slice_ports_;
  InitiatorPort channel_;
  const bool carries_data_;
};

// A row at a time, each in a cycle of its own: the channel sees the commands of any other PRE.
inline bool MemoryControllerShell::make_cold() {
  const Cycle now = clock().now();
  if (now <= made_cold_) return false;
  made_cold_ = now;
  if (core_.owed() <= now) {
    catch_up(now);
    return false;
  }
  std::optional<IssuedCommand> issued;
  const bool open = core_.close_idle_row(now, issued);
  if (issued) issue(*issued, now);
  return !open;
}

inline void MemoryControllerShell::move_bytes(Txn& txn) {
  const auto debug = [this](tlm::tlm_generic_payload& payload) {
    if (channel_.debug(payload) != payload.get_data_length())
      SC_REPORT_ERROR(name(), "the DRAM channel keeps no bytes: run.data: carried needs its transport_dbg");
  };
  if (txn.access().access_class != AccessClass::atomic) return debug(txn);
  for_each_sector(txn, [&](Address sector, unsigned char* operands, ByteMask which) {
    unsigned char words[sector_bytes];
    tlm::tlm_generic_payload payload;
    payload.set_address(sector);
    payload.set_data_ptr(words);
    payload.set_data_length(sector_bytes);
    payload.set_streaming_width(sector_bytes);
    payload.set_read();
    debug(payload);
    add_words(operands, words, which);
    payload.set_write();
    debug(payload);
  });
}

}  // namespace strata
