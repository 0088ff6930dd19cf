// A link between two clocks carries a transfer in every cycle of the slower one, in both directions, whatever
// the ratio: asked of pairs of blocks that send and answer as fast as they may.
#include <array>
#include <deque>
#include <memory>

#include "models/tlm/txn_pool.h"
#include "tb/support/ports_bench.h"

using namespace strata;
using namespace strata::tb;

namespace {

/// Sends in every cycle in which the link is free.
class Pump final : public Block {
 public:
  Pump(sc_core::sc_module_name name, ClockDomain& clock) : Block(name, clock) {}
  void start() { book(1); }
  void advance(Cycle now, int) override {
    const Accept accept = out.send(pool_.make(AccessClass::load, 128 * sent, 0xf, ledger_now()));
    REQUIRE_FALSE(accept.is_done());
    ++sent;
    if (accept.is_taken()) book(std::max(accept.at, now + 1));
  }
  void request_unblocked(int, Cycle at) override { book(at); }
  Accept response(Txn& txn, int, Cycle at) override {
    ++answers;
    if (at == last_) ++crowded;
    last_ = at;
    txn.release();
    return Accept::taken(at + 1);
  }
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}

  InitiatorPort out{*this, "out", 0};
  std::uint64_t sent = 0, answers = 0, crowded = 0;

 private:
  TxnPool pool_;
  NoStats stats_;
  Cycle last_ = never;
};

/// Takes a request a cycle and answers one a cycle, in order.
class Mirror final : public Block {
 public:
  Mirror(sc_core::sc_module_name name, ClockDomain& clock) : Block(name, clock) {}
  Accept request(Txn& txn, int, Cycle at) override {
    if (at == last_) ++crowded;
    last_ = at;
    if (waiting_.empty() && !in.response_blocked()) book(std::max(at + 1, free_));
    waiting_.push_back(&txn);
    return Accept::taken(at + 1);
  }
  void advance(Cycle now, int) override {
    if (waiting_.empty() || in.response_blocked()) return;
    if (now < free_) return book(free_);
    Txn& txn = *waiting_.front();
    waiting_.pop_front();
    const Accept accept = in.respond(txn);
    REQUIRE(accept.is_taken());
    free_ = std::max(accept.at, now + 1);
    if (!waiting_.empty()) book(free_);
  }
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}

  TargetPort in{*this, "in", 0};
  std::uint64_t crowded = 0;

 private:
  std::deque<Txn*> waiting_;
  NoStats stats_;
  Cycle free_ = 0;
  Cycle last_ = never;
};

struct Pair {
  Pair(int number, std::uint64_t sender, std::uint64_t taker, bool checked)
      : tag(std::to_string(number)),
        from(("from" + tag).c_str(), Hertz(sender)),
        to(("to" + tag).c_str(), Hertz(taker), &from),
        pump(("pump" + tag).c_str(), from),
        mirror(("mirror" + tag).c_str(), to),
        slower(std::min(sender, taker)) {
    if (checked) checker = std::make_unique<ProtocolChecker>(("checker" + tag).c_str());
    REQUIRE((checked ? pump.out.bind_to(mirror.in, *checker) : pump.out.bind_to(mirror.in)));
    pump.start();
  }
  std::string tag;
  ClockDomain from, to;
  Pump pump;
  Mirror mirror;
  std::unique_ptr<ProtocolChecker> checker;
  std::uint64_t slower;
};

void sweep(bool checked) {
  constexpr std::uint64_t mhz = 1'000'000;
  // 1/3 to 3, plain ratios and odd ones, and clocks that pass each other slowly.
  constexpr std::array<std::array<std::uint64_t, 2>, 12> clocks = {{{466'666'667, 1400 * mhz},
                                                                    {500 * mhz, 1400 * mhz},
                                                                    {700 * mhz, 1400 * mhz},
                                                                    {850 * mhz, 1132 * mhz},
                                                                    {924 * mhz, 1400 * mhz},
                                                                    {1399 * mhz, 1400 * mhz},
                                                                    {1000 * mhz, 1500 * mhz},
                                                                    {1399'999'000, 1400 * mhz},
                                                                    {586 * mhz, 1400 * mhz},
                                                                    {1400 * mhz, 1600 * mhz},
                                                                    {1132 * mhz, 1700 * mhz},
                                                                    {1000 * mhz, 3000 * mhz}}};
  std::vector<std::unique_ptr<Pair>> pairs;
  for (const auto& [one, other] : clocks) {
    pairs.push_back(std::make_unique<Pair>(static_cast<int>(pairs.size()), one, other, checked));
    pairs.push_back(std::make_unique<Pair>(static_cast<int>(pairs.size()), other, one, checked));
  }
  sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_US));
  for (const auto& pair : pairs) {
    INFO(pair->from.frequency().count << " Hz to " << pair->to.frequency().count << " Hz");
    const std::uint64_t cycles = pair->slower / 100'000;  // in 10 us
    CHECK(pair->pump.sent >= cycles - 2);
    CHECK(pair->pump.sent <= cycles + 2);
    CHECK(pair->pump.answers >= cycles - 8);  // those of the last cycles are on their way
    CHECK(pair->pump.crowded == 0);           // one a cycle at most, of either side
    CHECK(pair->mirror.crowded == 0);
    if (checked) CHECK(pair->checker->violations() == 0);
  }
}

}  // namespace

TEST_CASE("a packet from a slower clock has its tail here when the slower clock has sent it") {
  const Pair link(0, 1'000'000'000, 3'000'000'000, false);
  // Four flits follow the head in four cycles of 1 ns, which are twelve of a third of that; the way back is
  // between the same two clocks.
  CHECK(link.mirror.in.tail(10, 5) == 22);
  CHECK(link.mirror.in.tail(10, 1) == 10);
  CHECK(link.pump.out.tail(10, 5) == 14);
  // 0.75 as fast: three cycles there are four here, and one there has passed with the second here.
  const Pair odd(1, 1'500'000'000, 2'000'000'000, true);
  CHECK(odd.mirror.in.tail(0, 4) == 4);
  CHECK(odd.mirror.in.tail(0, 2) == 2);
}

TEST_CASE("between two clocks a link carries a transfer in every cycle of the slower one") {
  sweep(false);
}

TEST_CASE("between two clocks a checked link carries a transfer in every cycle of the slower one") {
  sweep(true);
}
