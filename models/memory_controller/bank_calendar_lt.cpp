#include "models/memory_controller/bank_calendar_lt.h"

#include <algorithm>

namespace strata {

BankCalendarLt::BankCalendarLt(const MemoryControllerParams& params)
    : t_(params.timing),
      bursts_(static_cast<unsigned>(params.bursts_per_line())),
      cas_(static_cast<unsigned>(std::max(t_.nBL, t_.nCCDS))),
      act_(static_cast<unsigned>(std::max({1, t_.nRRDS, (t_.nFAW + 3) / 4}))),
      turn_(static_cast<unsigned>(t_.nCL + 2 * t_.nBL + t_.nRTW_gap + t_.nWTRL)),
      acts_(128),
      bus_(128) {}

void BankCalendarLt::slide(Cycle now) {
  acts_.slide(now);
  bus_.slide(now);
}

// The line's bursts: as many column slots in a row; the bursts of one bank are nCCDL apart.
Cycle BankCalendarLt::column(Row& row, bool write, Cycle from, Cycle& last) {
  const unsigned slots = cas_ * bursts_;
  const Cycle first = bus_.book(std::max(from, ready(row, write)), slots) + 1 - slots;
  last = first + (bursts_ - 1) * static_cast<Cycle>(std::max(t_.nBL, t_.nCCDL));
  const Cycle recover =
      write ? data_end(last, true) + static_cast<Cycle>(t_.nWR) : last + static_cast<Cycle>(t_.nRTP);
  row.may_close = std::max(row.may_close, recover);
  return first;
}

BankCalendarLt::Service BankCalendarLt::serve(const DramLocation& where, bool write, Cycle from) {
  Bank& bank = banks_[static_cast<std::size_t>(where.bank)];
  Service service;
  for (Row& row : bank.rows) {
    if (row.row != where.row || row.closed <= from) continue;
    service.first_cas = column(row, write, from, service.last_cas);
    return service;
  }
  if (from + static_cast<Cycle>(t_.nRC) < bank.rows[0].asked) return serve_before(bank, write, from);
  Row& open = bank.rows[0];
  Cycle activate = std::max(from, bank.may_activate);
  if (open.row >= 0) {
    open.closed = service.precharge = std::max(from, open.may_close);
    activate = std::max(activate, open.closed + static_cast<Cycle>(t_.nRP));
    bank.rows[2] = bank.rows[1];
    bank.rows[1] = open;
  }
  open.row = where.row;
  open.asked = from;
  open.closed = never;
  open.activate = service.activate = acts_.book(activate, act_) + 1 - act_;
  open.may_close = open.activate + static_cast<Cycle>(t_.nRAS);
  bank.may_activate = open.activate + static_cast<Cycle>(t_.nRC);
  service.first_cas = column(open, write, open.activate, service.last_cas);
  return service;
}

// A request from a whole row cycle before the one that wanted the bank's row: it would have gone first.
// The rows stay as they are; the request pays for a PRE, an ACT and its data.
BankCalendarLt::Service BankCalendarLt::serve_before(const Bank& bank, bool write, Cycle from) {
  Service service;
  Row row;
  service.precharge = from;
  for (const Row& past : bank.rows)
    if (past.row >= 0 && past.activate <= from) {
      service.precharge = std::max(from, past.activate + static_cast<Cycle>(t_.nRAS));
      break;
    }
  const Cycle activate = service.precharge + static_cast<Cycle>(t_.nRP);
  row.activate = service.activate = acts_.book(activate, act_) + 1 - act_;
  service.first_cas = column(row, write, row.activate, service.last_cas);
  return service;
}

void BankCalendarLt::turn(Cycle from) {
  bus_.book(from, turn_);
}

}  // namespace strata
