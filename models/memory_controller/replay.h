#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "models/dram_channel/dram_timing.h"
#include "models/memory_controller/memory_controller_params.h"
#include "models/memory_controller/memory_controller_stats.h"

namespace strata {

/// One CAS-sized request of a request list.
struct ReplayRequest {
  std::uint64_t id = 0;
  Cycle arrive = 0;
  bool write = false;
  int bank_group = 0;
  int bank = 0;
  std::int64_t row = 0;
  int column = 0;
};

struct ReplayCommand {
  Cycle cycle = 0;
  DramCommand command = DramCommand::act;
  int bank_group = 0;  ///< -1: all banks
  int bank = 0;
  std::int64_t row = 0;  ///< -1: none (refreshes)
  int column = -1;
  std::int64_t request = -1;  ///< id; -1: the page policy's or a refresh's
};

struct ReplayReply {
  std::uint64_t id = 0;
  Cycle arrive = 0;
  Cycle accept = 0;
  std::int64_t cas_issue = -1;  ///< -1: forwarded from the write queue
  Cycle data_end = 0;  ///< last data of a read or write; a forwarded read: the cycle after acceptance
  Cycle latency() const { return data_end - accept; }
};

struct ReplayResult {
  std::vector<ReplayCommand> commands;
  std::vector<ReplayReply> replies;  ///< in the order of the requests
  MemoryControllerStats stats;
  Cycle total_cycles = 0;  ///< first arrival to last data
};

/// Drive the controller core alone with a list of requests: one port, in order, at most one accepted a cycle,
/// none before it arrives, all behind one that finds its queue full. `rules` other than the set's own are for
/// experiments.
ReplayResult replay_dram(const MemoryControllerParams& params, const std::vector<ReplayRequest>& requests);
ReplayResult replay_dram(const MemoryControllerParams& params, const std::vector<ReplayRequest>& requests,
                         const std::vector<DramRule>& rules);

/// Replays a request list through a MemoryController and a DramChannel behind their sockets; the channel
/// checks every command. Commands and replies equal those of replay_dram(). Elaborates and runs a simulation:
/// once a process. The list names banks, rows and columns, so `params.slices`, `line`, `interleave` and
/// `bank_xor` are overridden. Throws ConfigError when a CAS of the timing set is no line that the module can
/// serve. Defined in the library with SystemC.
ReplayResult replay_through_modules(MemoryControllerParams params,
                                    const std::vector<ReplayRequest>& requests);

/// The first line of a request list: `id,arrive,type,bg,bank,row,col`; of what several controllers got, as a
/// run writes it, also which of them, the address and its bytes.
std::string_view request_list_header(bool of_controllers);

/// What a list holds.
struct RequestList {
  std::vector<ReplayRequest> requests;  ///< of one controller, sorted by arrival
  int controller = -1;  ///< that one, the first of the list by default; -1: the list names none
  int others = 0;       ///< controllers whose requests were left out
};
/// `controller`: whose requests are wanted; -1: those of the first one. Throws TraceError (file:line) with
/// the first fault.
RequestList read_controller_list(std::istream& in, const std::string& file, const TimingSet& set,
                                 int controller = -1);
/// The requests of the first one.
std::vector<ReplayRequest> read_request_list(std::istream& in, const std::string& file, const TimingSet& set);
void write_commands(std::ostream& out,
                    const std::vector<ReplayCommand>& commands);  // cycle,cmd,bg,bank,row,col,req
void write_replies(std::ostream& out, const std::vector<ReplayReply>& replies);

}  // namespace strata
