#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <systemc>

#include "models/dram_channel/dram_command_attr.h"
#include "models/tlm/call_watch_if.h"
#include "models/tlm/port_base.h"
#include "platforms/engine/netlist/platform.h"
#include "platforms/report/timeline/timeline_request.h"
#include "platforms/report/timeline/timeline_selection.h"

namespace strata::platforms {

/// Writes the requests of a run as a timeline (docs/guide/timeline.md). It watches the calls on every binding
/// and reads the ledger whenever a request moves between blocks: cycles charged since the last move are the
/// waits of that stay. It does not change the run: digests stay the same.
class TimelineRecorder final : public sc_core::sc_module {
 public:
  /// Create it before the platform, and attach the platform later. Throws ConfigError if the file cannot be
  /// written.
  TimelineRecorder(sc_core::sc_module_name name, const TimelineOptions& options, std::uint64_t seed);
  ~TimelineRecorder() override;

  /// Pass this to ElaborateOptions::watch.
  CallWatchIf* watch(const PortBase& from, const PortBase& to);
  /// Attaches to the platform built with this watch. Call before the run.
  void attach(const Platform& platform);
  /// Call after the run: writes requests in flight too, and renames the file to its final name. Throws
  /// ConfigError.
  void finish();

  std::uint64_t requests() const { return written_; }
  const TimelineFile& file() const { return file_; }
  /// Core cycle in which the file reached its limit; never: it did not.
  Cycle full_at() const { return full_at_; }

 private:
  class Binding;
  using AccessPointer = std::shared_ptr<TimelineAccess>;

  // Handlers of calls on a binding.
  void request_leaves(const Block& from, const Block& to, Txn& txn);
  void response_leaves(const Block& to, Txn& txn);
  void response_passed(Txn& txn, bool taken);
  void response_ends(Txn& txn);
  void command(const Block& from, const Block& to, const DramCommandAttr& attr, Address line, Cycle begin,
               Cycle end);

  TimelineAccess* find(const Access& access);
  AccessPointer open(Txn& txn, const Block& origin);
  AccessPointer shown_cause(const Txn& txn);
  void settle(TimelineAccess& one);
  void take_over(TimelineAccess& one, const Access& access);
  void lay_out(TimelineAccess& one, const TimelineAccess::Rows& spent);
  TimelineHop& hop_for(TimelineAccess& one, Cycle begin);
  void enter(TimelineAccess& one, const Block& block);
  void leave(TimelineAccess& one);
  void forget_at_memory(const TimelineAccess& one);
  void end_later(Txn& txn);
  void end_answered();
  void close(TimelineAccess& one);
  void write(TimelineRequest& request);
  void write_hop(const TimelineRequest* request, const TimelineHop& hop, bool first);
  void stop();

  TimelineSelection selection_;
  TimelineFile file_;
  std::vector<std::unique_ptr<Binding>> bindings_;
  const LedgerPlaces* places_ = nullptr;
  const ClockDomain* core_ = nullptr;
  std::uint64_t line_bytes_ = 0;
  struct BlockTrack {
    int track = TimelineFile::none;
    Role role = Role::none;
  };
  std::unordered_map<const Block*, BlockTrack> tracks_;     // only looked up, never iterated
  std::vector<std::string> row_names_;                      // by place
  std::unordered_map<const Access*, AccessPointer> open_;   // only looked up during the run
  std::unordered_map<Address, TimelineAccess*> at_memory_;  // by line: accesses in a memory controller
  std::vector<Txn*>
      answered_;  // returned to their initiators, which charge the rest before the next delta cycle
  sc_core::sc_event answer_;
  std::uint64_t next_number_ = 1;
  std::uint64_t written_ = 0;
  Cycle full_at_ = never;
  bool off_ = false;
};

}  // namespace strata::platforms
