#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <systemc>

#include "models/common/faults.h"
#include "models/common/ledger_totals.h"
#include "models/common/stats.h"
#include "models/tlm/clock_domain.h"
#include "models/tlm/txn.h"

namespace strata {

/// How a hop takes a transaction. `at` is a cycle of the CALLEE's domain when a block returns it from
/// request() or response(), and of the CALLER's domain when a port returns it from send(), respond(), ...
struct Accept {
  enum class Kind : std::uint8_t {
    taken,  ///< END_REQ (END_RESP) at cycle `at`: the link is busy until then
    held,   ///< END_REQ (END_RESP) withheld: back-pressure; the end comes through *_unblocked()
    done,   ///< requests only: the response is there at cycle `at`, the transaction is over (TLM_COMPLETED)
  };
  Kind kind;
  Cycle at;
  static Accept taken(Cycle until) { return {Kind::taken, until}; }
  static Accept held() { return {Kind::held, 0}; }
  static Accept done(Cycle when) { return {Kind::done, when}; }
  bool is_taken() const { return kind == Kind::taken; }
  bool is_held() const { return kind == Kind::held; }
  bool is_done() const { return kind == Kind::done; }
};

/// What a block that cannot go on waits for: one edge of the wait-for graph that the watchdog prints.
struct WaitNote {
  std::string what;       ///< the queue or port that is stuck
  std::string waits_for;  ///< full name of the module or port it waits for, empty if unknown
  int occupancy = 0;
  int capacity = 0;
  const Access* oldest = nullptr;
};

class PortBase;

/// Base of every model: an sc_module with a clock, an wheel entry per unit, ports and statistics.
///
/// A block never sees TLM phases: its ports turn them into the calls below. Within a cycle of a domain,
/// blocks run in a fixed order; whatever a block sends in cycle t must not be acted upon by the receiver
/// before t + 1.
class Block : public sc_core::sc_module {
 public:
  /// `place`: where ledgers charge what happens in it; without one, its name without numbers.
  Block(sc_core::sc_module_name name, ClockDomain& clock, int units = 1, std::string_view place = {});
  ~Block() override;

  /// A request arrives at target port `port` (the id given to the port's constructor) in cycle `at`, which is
  /// now or later (annotated). Accept it, hold it (release later through TargetPort::accept) or answer it at
  /// once: by Accept::done, never by respond() for `txn` within this call.
  virtual Accept request(Txn& txn, int port, Cycle at);
  /// A response arrives at initiator port `port` in cycle `at`. Accept or hold (release:
  /// InitiatorPort::accept).
  virtual Accept response(Txn& txn, int port, Cycle at);
  /// The END_REQ that initiator port `port` waited for: it may send again from cycle `at` on.
  virtual void request_unblocked(int port, Cycle at);
  /// The END_RESP that target port `port` waited for: it may respond again from cycle `at` on.
  virtual void response_unblocked(int port, Cycle at);
  /// The wheel calls unit `unit` in a cycle booked for it.
  virtual void advance(Cycle now, int unit) = 0;
  /// transport_dbg at target port `port`: bytes moved. No side effects.
  virtual unsigned debug(tlm::tlm_generic_payload& payload, int port);

  virtual const StatSet& stats() const = 0;
  /// What it counts of one application, a part of stats() under the same names; null: it does not tell
  /// applications apart, or has nothing of this one.
  virtual const StatSet* application_stats(int /*application*/) const { return nullptr; }
  virtual void reset_stats() = 0;
  /// Where the latencies of the accesses that it made and got answered went; null: it makes none.
  virtual const LedgerTotals* ledger(int /*application*/ = all_applications) const { return nullptr; }
  /// Accumulate what the block counts by time (occupancies) up to `now`; called before statistics are read.
  virtual void settle(Cycle /*now*/) {}
  /// What must hold when all work is done: queues and MSHRs empty, every Txn back in its pool, credits
  /// complete.
  virtual Faults check_idle() const { return {}; }
  /// It carries requests and answers on to others. An answer that came with its request could not be held
  /// back when it has no room.
  virtual bool is_network() const { return false; }
  /// Everything in this block that cannot go on, for the wait-for graph.
  virtual std::vector<WaitNote> waits() const { return {}; }

  ClockDomain& clock() const { return clock_; }
  const std::string& place() const { return place_; }
  /// Before it charges anything.
  void set_place(std::string_view place) { place_ = place; }
  /// The row of ledgers for a cause in this block.
  Place place_for(Cause cause) const { return clock_.places().add(place_, cause); }
  const std::vector<PortBase*>& ports() const { return ports_; }

 protected:
  /// Wake `unit` in `cycle` (the next reachable one if that is past).
  void book(Cycle cycle, int unit = 0) { clock_.book(word_of(unit), number_of(unit), cycle); }
  /// The same for a unit that is being visited, and a cycle after the present one.
  void book_again(Cycle cycle, int unit = 0) { clock_.wheel().book(word_of(unit), number_of(unit), cycle); }
  /// Where the state lies that `unit` touches first when it is woken.
  void touches_first(int unit, const void* state) { clock_.touches_first(first_id_ + unit, state); }
  /// `visit(block, now)` is what advance() does for `unit`.
  template <class Final, void (Final::*visit)(Cycle now)>
  void visited_by(int unit) {
    clock_.visited_by(first_id_ + unit,
                      [](Block& block, Cycle now, int) { (static_cast<Final&>(block).*visit)(now); });
  }
  /// The same for a block whose visits tell units apart.
  template <class Final, void (Final::*visit)(Cycle now, int unit)>
  void visited_by(int unit) {
    clock_.visited_by(first_id_ + unit,
                      [](Block& block, Cycle now, int of) { (static_cast<Final&>(block).*visit)(now, of); });
  }
  /// More words of the wheel, in one sheet, whose turns the block takes itself: when one has any,
  /// `visit(block, now)` is called. Returns the first.
  template <class Final, void (Final::*visit)(Cycle now)>
  std::uint64_t* add_turns(std::size_t words) {
    const auto visited = [](Block& block, Cycle now, int) { (static_cast<Final&>(block).*visit)(now); };
    return clock_.join_words(*this, words, visited, &clock_);
  }
  Cycle ledger_now() const { return clock_.ledger_now(); }

 private:
  friend class PortBase;
  std::size_t number_of(int unit) const { return first_number_ + static_cast<std::size_t>(unit); }
  std::uint64_t* word_of(int unit) const { return first_word_ + number_of(unit) / 64; }

  std::string place_;
  std::vector<PortBase*> ports_;
  int first_id_ = 0;                     // of its units
  ClockDomain& clock_;                   // from here on: what a derived block touches first lies behind it
  std::uint64_t* first_word_ = nullptr;  // of the wheel, that of the first unit,
  std::size_t first_number_ = 0;         // and which number that has there
};

}  // namespace strata
