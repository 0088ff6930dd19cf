#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <systemc>

#include "models/dram_channel/dram_command_attr.h"
#include "models/tlm/call_watch_if.h"
#include "models/tlm/port_base.h"
#include "platforms/netlist/platform.h"
#include "platforms/timeline/timeline_request.h"
#include "platforms/timeline/timeline_selection.h"

namespace strata::platforms {

/// Writes the requests of a run as a timeline (docs/guide/timeline.md). It sees the calls on every binding
/// and looks at ledgers whenever a request goes from block to block: what was charged since then are the
/// waits of that stay. It changes nothing: digests are those of a run without it.
class TimelineRecorder final : public sc_core::sc_module {
 public:
  /// Before the platform, of which it will be told. Throws ConfigError when the file cannot be written.
  TimelineRecorder(sc_core::sc_module_name name, const TimelineOptions& options, std::uint64_t seed);
  ~TimelineRecorder() override;

  /// For ElaborateOptions::watch.
  CallWatchIf* watch(const PortBase& from, const PortBase& to);
  /// The platform that was built with it, before the run.
  void attach(const Platform& platform);
  /// After the run: what is under way is written too, and the file takes its place. Throws ConfigError.
  void finish();

  std::uint64_t requests() const { return written_; }
  const TimelineFile& file() const { return file_; }
  /// Core cycle in which the file was full; never: it was not.
  Cycle full_at() const { return full_at_; }

 private:
  class Binding;
  using AccessPointer = std::shared_ptr<TimelineAccess>;

  // Calls on a binding.
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
  std::unordered_map<const Block*, BlockTrack> tracks_;     // looked up only, never walked
  std::vector<std::string> row_names_;                      // by place
  std::unordered_map<const Access*, AccessPointer> open_;   // looked up only while the run goes on
  std::unordered_map<Address, TimelineAccess*> at_memory_;  // by line: in a memory controller
  std::vector<Txn*> answered_;  // their origins have them, and charge the rest before the next delta cycle
  sc_core::sc_event answer_;
  std::uint64_t next_number_ = 1;
  std::uint64_t written_ = 0;
  Cycle full_at_ = never;
  bool off_ = false;
};

}  // namespace strata::platforms
