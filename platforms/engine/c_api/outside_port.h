#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "models/tlm/module_kind.h"
#include "models/tlm/ports.h"
#include "models/tlm/txn_pool.h"
#include "platforms/engine/c_api/strata_c.h"

namespace strata::platforms {

struct OutsidePortParams final : ParamSet {
  int ports = 1;
  int outstanding = 256;
  int queue = 8;
  int first_sm = 0;
  void for_each_param(ParamVisitor& visitor) override;
};

struct OutsidePortStats final : StatSet {
  std::uint64_t requests = 0, refused = 0, lines = 0, answered_lines = 0, replies = 0, failed = 0,
                data_bytes = 0;
  void for_each_stat(StatVisitor& visitor) const override;
};

/// Requests from outside of SystemC, made between its steps: push() accepts them, replies wait for poll(). A
/// request becomes one access for each line that it touches. The request is complete when all accesses have
/// their replies; its bytes move then, unless the accesses carry them.
class OutsidePort final : public Block {
 public:
  struct Reply {
    strata_reply reply;
    std::vector<std::uint8_t> data;
  };

  OutsidePort(sc_core::sc_module_name name, const OutsidePortParams& params, const BuildContext& context);

  /// Returns false if the queue is full. The request must be valid.
  bool push(int port, const strata_request& request);
  /// The oldest reply that arrived before cycle `now`; null: none.
  const Reply* next_reply(int port, Cycle now) const;
  void pop_reply(int port);
  unsigned debug_out(int port, tlm::tlm_generic_payload& payload) {
    return lane(port).socket->debug(payload);
  }
  std::size_t under_way() const { return pool_.in_use(); }

  Accept response(Txn& txn, int port, Cycle at) override;
  void request_unblocked(int port, Cycle at) override;
  void advance(Cycle now, int port) override;
  const StatSet& stats() const override { return stats_; }
  const LedgerTotals* ledger(int application) const override {
    return application == all_applications ? &totals_ : nullptr;
  }
  void reset_stats() override;
  Faults check_idle() const override;
  std::vector<WaitNote> waits() const override;

 private:
  struct Request {
    strata_request asked;
    std::vector<std::uint8_t> data, strobes;
    Cycle pushed = 0, done = 0;
    int open = 0;  // lines without a reply
    bool failed = false;
  };
  struct Lane {
    std::unique_ptr<InitiatorPort> socket;
    std::deque<Txn*> queue;
    Cycle free = 0;
    int open = 0;  // lines that are queued or sent
    std::deque<Reply> replies;
    Place link, reply;
  };
  Lane& lane(int port) { return lanes_[static_cast<std::size_t>(port)]; }
  const Lane& lane(int port) const { return lanes_[static_cast<std::size_t>(port)]; }
  std::size_t make_request(const strata_request& request);
  void end_line(Txn& txn, int port, Cycle at);
  void end_request(Request& request, int port);
  void move(Request& request, int port, std::vector<std::uint8_t>& data);
  void carry(Txn& txn, Request& request);
  void end_of_elaboration() override;

  const OutsidePortParams params_;
  TxnPool pool_;
  std::vector<Lane> lanes_;
  std::vector<Request> requests_;  // slots are reused: an access holds the number of its slot
  std::vector<std::size_t> spare_;
  OutsidePortStats stats_;
  LedgerTotals totals_;
};

ModuleKind outside_port_kind();

}  // namespace strata::platforms
