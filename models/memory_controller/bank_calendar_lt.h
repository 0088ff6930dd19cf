#pragma once

#include <array>

#include "models/memory_controller/dram_address.h"
#include "models/memory_controller/memory_controller_params.h"
#include "models/tlm/slot_calendar.h"

namespace strata {

/// When the DRAM commands of a request issue, by bookkeeping: rows of banks, ACTs and data bus.
///
/// Requests are served first come, first served per bank, in the order of the calls, with one exception that
/// stands for FR-FCFS: a request to a row that is open, or that will be while its bank waits for another,
/// goes with that row. Of the timing set's rules those of one bank are kept exactly; ACTs of a channel are
/// spaced by a calendar of nRRDS (nFAW / 4 if that is longer), column commands by one of nBL or nCCDS cycles.
/// Bank groups, turnarounds between single requests and the command bus are not modelled.
class BankCalendarLt {
 public:
  explicit BankCalendarLt(const MemoryControllerParams& params);

  struct Service {
    Cycle precharge = never;  ///< another row was open
    Cycle activate = never;   ///< never: the row was open
    Cycle first_cas = 0;
    Cycle last_cas = 0;
    Cycle begun() const { return precharge != never ? precharge : activate != never ? activate : first_cas; }
  };
  /// Serve a line whose commands may issue from `from` on.
  Service serve(const DramLocation& where, bool write, Cycle from);
  /// Keep the data bus free of commands for a turn to writes and back, from `from` on.
  void turn(Cycle from);
  void slide(Cycle now);
  /// End of the data of a column command.
  Cycle data_end(Cycle cas, bool write) const {
    return cas + static_cast<Cycle>((write ? t_.nCWL : t_.nCL) + t_.nBL);
  }

 private:
  /// A row from its ACT to its PRE.
  struct Row {
    std::int64_t row = -1;
    Cycle asked = 0;  // when the request came that wanted it
    Cycle activate = 0;
    Cycle closed = never;  // cycle of its PRE
    Cycle may_close = 0;   // first cycle in which a PRE may issue
  };
  struct Bank {
    std::array<Row, 3> rows;  // the open one, then those before it
    Cycle may_activate = 0;   // tRC
  };
  Cycle column(Row& row, bool write, Cycle from, Cycle& last);
  Service serve_before(const Bank& bank, bool write, Cycle from);
  Cycle ready(const Row& row, bool write) const {
    return row.activate + static_cast<Cycle>(write ? t_.nRCDWR : t_.nRCDRD);
  }

  TimingSet t_;
  unsigned bursts_;
  unsigned cas_;   // slots of a column command
  unsigned act_;   // slots of an ACT
  unsigned turn_;  // slots that a turn to writes and back costs
  std::array<Bank, max_banks> banks_;
  SlotCalendar acts_;
  SlotCalendar bus_;
};

}  // namespace strata
