#pragma once

#include <tlm>

#include "models/common/units.h"
#include "models/dram_channel/dram_command.h"

namespace strata {

/// What a payload between a memory controller and a DRAM channel asks for. The payload's command is READ for
/// RD, WRITE for WR and IGNORE for ACT and PRE; its address is the line's, its length one CAS. The channel
/// answers every command at once (TLM_COMPLETED), annotated with the time to the end of the data.
class DramCommandAttr final : public tlm::tlm_extension<DramCommandAttr> {
 public:
  DramCommand command = DramCommand::act;
  int bank = 0;  ///< group * banks_per_group + bank of the group; 0 with REFab
  std::int64_t row = 0;
  int column = -1;
  std::int64_t request = -1;  ///< the controller's number of the request it serves, from 0; -1 = none
  Cycle cycle = never;        ///< when it takes effect; never = now. Refreshes of an idle channel come late

  tlm::tlm_extension_base* clone() const override {
    auto* copy = new DramCommandAttr;
    copy->copy_from(*this);
    return copy;
  }
  void copy_from(const tlm::tlm_extension_base& other) override {
    const auto& from = static_cast<const DramCommandAttr&>(other);
    command = from.command;
    bank = from.bank;
    row = from.row;
    column = from.column;
    request = from.request;
    cycle = from.cycle;
  }
};

}  // namespace strata
