#pragma once

#include <vector>

#include "models/common/time_queue.h"
#include "models/tlm/lt_ports.h"
#include "models/tlm/ports.h"

namespace strata {

/// Base of lt blocks that play their part in order of time: they are written as at blocks are, with
/// request(), response() and their ends, and get each request in the cycle in which it comes, whenever it was
/// announced. Unit 0 of the agenda belongs to the shell: advance() must pass it to present().
class LtShell : public LtBlock, public LtCaller {
 public:
  static constexpr int arrival_unit = 0;
  using LtBlock::LtBlock;

  LtAnswer post(Txn& txn, int port, Cycle at) override;
  void answer_taken(int port, Cycle began, Cycle until) override;
  void port_free(Cycle at) final { book(at, arrival_unit); }

 protected:
  void end_of_elaboration() override;
  /// Requests and answers whose cycle has come.
  void present(Cycle now);
  bool nothing_due() const { return due_.empty(); }
  void answered(Txn& txn, int port, const LtAnswer& answer) override;
  void accepted(int port, Cycle at) override;
  /// A request comes now: the block is asked, and holds it or not.
  Accept offer(LtTargetPort& port, Txn& txn, Cycle at);
  /// A request has to wait behind one that is held.
  static bool requests_wait(const LtTargetPort& port) {
    return port.held_ != nullptr || !port.queue_.empty();
  }
  /// The same for an answer.
  static bool answers_wait(const LtInitiatorPort& port) {
    return port.held_ != nullptr || !port.queue_.empty();
  }

 private:
  enum class What : std::uint8_t { request, answer };
  struct Due {
    Txn* txn;
    int port;
    What what;
  };
  LtTargetPort& target(int id) const;
  LtInitiatorPort& initiator(int index) const;
  void announce(Txn& txn, int port, What what, Cycle at);
  void deliver(LtInitiatorPort& port, Txn& txn, Cycle at);
  void present_queued(Cycle now);
  void present_due(const Due& due, Cycle now);

  std::vector<LtTargetPort*> targets_;        // by id
  std::vector<LtInitiatorPort*> initiators_;  // by index
  TimeQueue<> due_;                           // places in places_
  std::vector<Due> places_;
  std::vector<std::uint16_t> free_places_;
};

/// The kinds of ports that a shell can stand between: one text for the at and the lt version of a block.
struct AtLinks {
  static constexpr bool ahead = false;  // requests may be told before their cycle
  class Base : public Block {
   public:
    using Block::Block;

   protected:
    void present(Cycle) {}
    bool nothing_due() const { return true; }
  };
  using Target = TargetPort;
  using Initiator = InitiatorPort;
};

struct LtLinks {
  static constexpr bool ahead = true;
  using Base = LtShell;
  using Target = LtTargetPort;
  using Initiator = LtInitiatorPort;
};

}  // namespace strata
