// Two of Strata's ports bound to each other skip phases and delays; a checker between them brings these back.
// Both ways must be the same protocol: a pair of each kind is driven by the same random numbers and logs the
// same calls.
#include <deque>
#include <memory>
#include <random>

#include "models/tlm/txn_pool.h"
#include "tb/support/ports_bench.h"

using namespace strata;
using namespace strata::tb;

namespace {

/// Sends when it may, holds some responses and ends them later.
class RandomSender final : public Block {
 public:
  RandomSender(sc_core::sc_module_name name, ClockDomain& clock, unsigned seed)
      : Block(name, clock, 2), random_(seed) {}

  void start() { book(1, 0); }
  void advance(Cycle now, int unit) override {
    if (unit == 1) {
      log.push_back("end @" + std::to_string(now));
      Txn& txn = *out.held();
      out.accept(now + pick(3));
      txn.release();
      return;
    }
    if (sent_ == 400) return;
    Txn& txn =
        pool.make(pick(4) == 0 ? AccessClass::store : AccessClass::load, sent_++ * 128, 0xf, ledger_now());
    const Accept accept = out.send(txn);
    log.push_back((accept.is_taken()  ? "taken @"
                   : accept.is_held() ? "held @"
                                      : "done @") +
                  std::to_string(accept.is_held() ? now : accept.at));
    if (accept.is_done()) finish(txn, "done");
    if (!accept.is_held()) book(std::max(accept.is_taken() ? accept.at : now + 1, now + 1) + pick(3), 0);
  }
  Accept response(Txn& txn, int, Cycle at) override {
    log.push_back(line_at("response", txn.access(), at));
    if (pick(4) == 0) {
      note(txn);
      book(at + 1 + pick(5), 1);
      return Accept::held();
    }
    finish(txn, "answered");
    return Accept::taken(at + 1 + pick(3));
  }
  void request_unblocked(int, Cycle at) override {
    log.push_back("unblocked @" + std::to_string(at));
    book(at, 0);
  }
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}

  InitiatorPort out{*this, "out", 0};
  TxnPool pool;
  Log log;
  int failures = 0;

 private:
  Cycle pick(unsigned n) { return random_() % n; }
  void note(const Txn& txn) { failures += txn.access().failed; }
  void finish(Txn& txn, const char* how) {
    log.push_back(line_at(how, txn.access(), txn.access().failed));
    note(txn);
    txn.release();
  }
  std::mt19937 random_;
  Address sent_ = 0;
  NoStats stats_;
};

/// Takes, holds or answers requests at once; answers the others later, some with an error.
class RandomTaker final : public Block {
 public:
  RandomTaker(sc_core::sc_module_name name, ClockDomain& clock, unsigned seed)
      : Block(name, clock, 2), random_(seed) {}

  Accept request(Txn& txn, int, Cycle at) override {
    log.push_back(line_at("request", txn.access(), at));
    if (pick(5) == 0) txn.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    const Cycle kind = pick(4);
    if (kind == 0) return Accept::done(at + pick(4));
    waiting_.push_back(&txn);
    book(at + 1 + pick(9), 1);
    if (kind != 1) return Accept::taken(txn.access().ready = at + pick(4));
    txn.access().ready = 0;  // a response may end a held request
    book(at + 1 + pick(6), 0);
    return Accept::held();
  }
  void advance(Cycle now, int unit) override {
    if (unit == 0) {
      if (in.holding()) in.accept(in.held()->access().ready = now + pick(3));
      return;
    }
    if (in.response_blocked() || waiting_.empty()) return;
    if (now < free_at_) return book(free_at_, 1);
    Txn& txn = *waiting_.front();
    if (now < txn.access().ready) return book(txn.access().ready, 1);
    waiting_.pop_front();
    const Accept accept = in.respond(txn);
    log.push_back((accept.is_taken() ? "taken @" : "held @") +
                  std::to_string(accept.is_taken() ? accept.at : now));
    if (accept.is_held()) return;
    free_at_ = accept.at;
    if (!waiting_.empty()) book(std::max(free_at_, now + 1), 1);
  }
  void response_unblocked(int, Cycle at) override {
    log.push_back("unblocked @" + std::to_string(at));
    free_at_ = at;
    if (!waiting_.empty()) book(at, 1);
  }
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}

  TargetPort in{*this, "in", 0};
  Log log;

 private:
  Cycle pick(unsigned n) { return random_() % n; }
  std::mt19937 random_;
  std::deque<Txn*> waiting_;
  Cycle free_at_ = 0;
  NoStats stats_;
};

void compare(std::uint64_t sender_clock, std::uint64_t taker_clock) {
  ClockDomain fast{"fast", Hertz(sender_clock)};
  std::unique_ptr<ClockDomain> other;
  if (taker_clock != sender_clock) other = std::make_unique<ClockDomain>("other", Hertz(taker_clock), &fast);
  ClockDomain& slow = other != nullptr ? *other : fast;
  constexpr unsigned seed = 20261121;
  RandomSender direct_sender("direct_sender", fast, seed), checked_sender("checked_sender", fast, seed);
  RandomTaker direct_taker("direct_taker", slow, seed + 1), checked_taker("checked_taker", slow, seed + 1);
  ProtocolChecker checker("checker");
  REQUIRE(direct_sender.out.bind_to(direct_taker.in));
  REQUIRE(checked_sender.out.bind_to(checked_taker.in, checker));
  direct_sender.start();
  checked_sender.start();
  sc_core::sc_start();
  checker.check_finished();
  for (const std::string& message : checker.messages()) UNSCOPED_INFO(message);
  INFO("seed " << seed);
  CHECK(checker.violations() == 0);
  CHECK(checker.transactions() == 400);
  CHECK(direct_sender.log == checked_sender.log);
  CHECK(direct_taker.log == checked_taker.log);
  CHECK(direct_sender.failures == checked_sender.failures);
  CHECK(direct_sender.failures > 0);  // errors were among the answers, in either way
  CHECK(direct_sender.pool.in_use() == 0);
  CHECK(checked_sender.pool.in_use() == 0);
}

}  // namespace

TEST_CASE("directly bound ports behave as with phases, in one clock domain") {
  compare(1'400'000'000, 1'400'000'000);
}

TEST_CASE("directly bound ports behave as with phases, into a slower clock domain") {
  compare(1'400'000'000, 924'000'000);
}

TEST_CASE("directly bound ports behave as with phases, into a faster clock domain") {
  compare(924'000'000, 1'400'000'000);
}
