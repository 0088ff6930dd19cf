// The row of `memory_controller` in the table of modules.
#include <algorithm>

#include "models/memory_controller/memory_controller.h"

namespace strata {
namespace {

Resources resources(const ParamSet& set) {
  using Kind = Resource::Kind;
  const auto& p = static_cast<const MemoryControllerParams&>(set);
  const TimingSet& t = p.timing;
  const std::vector<Resource::Relief> faster = {{"clock", "*2"}, {"rescale_timing", "true"}};
  const int places = p.shared_queue != 0 ? p.shared_queue / p.bursts_per_line() : p.read_queue;
  // Column commands that follow each other fastest change the bank group; activations are as far apart as
  // two, or four, of them must be.
  Resources all = {{"bus",
                    "DRAM data buses",
                    Kind::rate,
                    static_cast<double>(t.nBL) / std::max(t.nBL, t.nCCDS),
                    {{"bursts", static_cast<double>(t.nBL)}},
                    Resource::Held::counted,
                    {Cause::bus},
                    faster,
                    static_cast<double>(t.bytes_per_CAS) / t.nBL},
                   {"activations",
                    "DRAM row activations (nRRD, nFAW)",
                    Kind::rate,
                    1,
                    {{"activates", std::max(static_cast<double>(t.nRRDS), t.nFAW / 4.0)}},
                    Resource::Held::counted,
                    {},
                    faster},
                   {"banks",
                    "DRAM banks (nRC)",
                    Kind::rate,
                    static_cast<double>(t.banks()),
                    {{"activates", static_cast<double>(t.nRC)}},
                    Resource::Held::counted,
                    {Cause::queue, Cause::activate, Cause::conflict},
                    faster},
                   {"queue",
                    "DRAM read queues",
                    Kind::room,
                    static_cast<double>(places),
                    {{"read_wait"}},
                    Resource::Held::counted,
                    {},
                    faster}};
  for (Resource& one : all) one.more = "faster DRAM";
  return all;
}

}  // namespace

const ModuleKind& memory_controller_kind() {
  static const ModuleKind kind = [] {
    ModuleKind row = module_kind<MemoryControllerParams, MemoryControllerStats, MemoryController, true>(
        "memory_controller",
        "Memory controller of one DRAM channel: scheduler, read and write queues, write drain, row policy",
        Role::memory, "dram", [](const ParamSet& params) -> std::vector<PortSpec> {
          // Writes are answered when they are accepted, and atomics when their line has been read.
          return {tlm_sockets("slice", PortRole::target,
                              static_cast<const MemoryControllerParams&>(params).slices,
                              "line requests of the LLC slices",
                              {{"accepted"}, {"reads_finished", "forwarded_reads", "writes"}}),
                  tlm_sockets("channel", PortRole::initiator, 1, "DRAM commands to the channel",
                              {{"activates", "precharges", "bursts", "refreshes"}, {}})};
        });
    row.resources = resources;
    return row;
  }();
  return kind;
}

}  // namespace strata
