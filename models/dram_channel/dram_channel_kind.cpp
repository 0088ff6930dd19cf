// The row of `dram_channel` in the table of modules.
#include "models/dram_channel/dram_channel.h"

namespace strata {

const ModuleKind& dram_channel_kind() {
  static const ModuleKind kind = module_kind<DramChannelParams, DramChannelStats, DramChannel, true>(
      "dram_channel", "one DRAM channel: open rows, timing rules, command and energy counts, memory image",
      Role::channel, "dram", [](const ParamSet&) -> std::vector<PortSpec> {
        return {tlm_sockets("controller", PortRole::target, 1, "DRAM commands of the memory controller",
                            {{"commands"}, {}}, "bus")};
      });
  return kind;
}

}  // namespace strata
