// Ports behind external masters: payloads of others, with and without MemAttr, non-blocking and blocking.
#include <numeric>

#include "tb/support/ports_bench.h"

using namespace strata;
using namespace strata::tb;

namespace {

/// An external master in front of a block.
struct MasterBench {
  MasterBench() {
    checker.insert(master.socket, taker.in);
    std::iota(std::begin(taker.memory), std::end(taker.memory), static_cast<unsigned char>(0));
  }
  tlm_generic_payload& payload(tlm::tlm_command command, std::uint64_t address, unsigned length) {
    tlm_generic_payload& p = payloads.emplace_back(&memory);
    p.set_command(command);
    p.set_address(address);
    p.set_data_ptr(data);
    p.set_data_length(length);
    p.set_streaming_width(length);
    p.acquire();
    return p;
  }
  void run() {
    sc_core::sc_start();
    checker.check_finished();
    for (const std::string& message : checker.messages()) UNSCOPED_INFO(message);
    CHECK(checker.violations() == 0);
    for (const tlm_generic_payload& p : payloads) CHECK(p.get_ref_count() == 1);  // the only reference left
  }
  ClockDomain clock{"clock", Hertz(1'000'000'000)};
  WireInitiator master{"master"};
  Taker taker{"taker", clock};
  ProtocolChecker checker{"checker"};
  CountingMemory memory;
  std::deque<tlm_generic_payload> payloads;
  unsigned char data[256] = {};
};

/// Makes blocking calls from a thread.
class Caller final : public sc_core::sc_module {
 public:
  Caller(sc_core::sc_module_name name, std::function<void()> body) : sc_module(name), body_(std::move(body)) {
    SC_HAS_PROCESS(Caller);
    SC_THREAD(run);
  }

 private:
  void run() { body_(); }
  std::function<void()> body_;
};

/// Passes requests and responses on in the next cycle, as every inner hop does: the same transaction.
class Relay final : public Block {
 public:
  Relay(sc_core::sc_module_name name, ClockDomain& clock) : Block(name, clock, 2) {}
  Accept request(Txn& txn, int, Cycle at) override {
    request_ = &txn;
    book(at + 1, 0);
    return Accept::taken(at + 1);
  }
  Accept response(Txn& txn, int, Cycle at) override {
    response_ = &txn;
    book(at + 1, 1);
    return Accept::taken(at + 1);
  }
  void advance(Cycle, int unit) override {
    if (unit == 0)
      out.send(*request_);
    else
      in.respond(*response_);
  }
  unsigned debug(tlm_generic_payload& payload, int) override { return out.debug(payload); }
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}

  TargetPort in{*this, "in", 0};
  InitiatorPort out{*this, "out", 0};

 private:
  Txn* request_ = nullptr;
  Txn* response_ = nullptr;
  NoStats stats_;
};

double now_ns() {
  return sc_core::sc_time_stamp().to_seconds() * 1e9;
}

}  // namespace

TEST_CASE("an external payload is mapped to a line and sectors, its data moves at the response") {
  MasterBench b;
  auto& p = b.payload(tlm::TLM_READ_COMMAND, 0x1c8, 40);  // bytes 0x1c8..0x1ef: sectors 2 and 3 of line 0x180
  b.taker.take = [&](Txn& txn, Cycle at) {
    CHECK(txn.outer == &p);
    CHECK(txn.access().line == 0x180);
    CHECK(txn.access().sectors == 0b1100);
    CHECK(txn.access().access_class == AccessClass::load);
    b.taker.book(at + 10);
    return Accept::taken(at + 2);
  };
  b.taker.then = [&](Cycle) {
    CHECK(b.data[0] == 0);
    b.taker.respond();
  };
  Caller caller("caller", [&] {
    sc_core::wait(ns(3));
    tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = ns(1);
    CHECK(b.master.socket->nb_transport_fw(p, phase, delay) == tlm::TLM_UPDATED);
    CHECK(phase == tlm::END_REQ);
    CHECK(delay == ns(3));
  });
  b.master.answer = [&](tlm_generic_payload& payload, tlm_phase& phase, sc_core::sc_time&) {
    CHECK(&payload == &p);
    CHECK(phase == tlm::BEGIN_RESP);
    CHECK(p.get_response_status() == tlm::TLM_OK_RESPONSE);
    CHECK(b.data[0] == 0xc8);
    CHECK(b.data[39] == 0xef);
    return tlm::TLM_COMPLETED;
  };
  b.run();
  // TLM_COMPLETED without delay: the link is free at once.
  CHECK(b.taker.log == Log{"request 180 @4", "taken @14"});
}

TEST_CASE("an external master may end the response later") {
  MasterBench b;
  auto& p = b.payload(tlm::TLM_WRITE_COMMAND, 0x80, 32);
  b.data[0] = 99;
  b.taker.take = [&](Txn& txn, Cycle at) {
    CHECK(txn.access().access_class == AccessClass::store);
    b.taker.book(at + 1);
    return Accept::held();
  };
  b.taker.then = [&](Cycle) { b.taker.respond(); };
  Caller caller("caller", [&] {
    tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    CHECK(b.master.socket->nb_transport_fw(p, phase, delay) == tlm::TLM_ACCEPTED);
    sc_core::wait(ns(8));
    CHECK(b.taker.memory[0x80] == 99);
    phase = tlm::END_RESP;
    CHECK(b.master.socket->nb_transport_fw(p, phase, delay) == tlm::TLM_COMPLETED);
  });
  b.run();
  CHECK(b.taker.log == Log{"request 80 @0", "held @0", "unblocked @8"});
}

TEST_CASE("END_RESP during the response counts at its annotated time") {
  MasterBench b;
  auto& p = b.payload(tlm::TLM_READ_COMMAND, 0, 32);
  b.taker.take = [&](Txn&, Cycle at) {
    b.taker.book(at + 5);
    return Accept::taken(at + 1);
  };
  b.taker.then = [&](Cycle) { b.taker.respond(); };
  b.master.answer = [&](tlm_generic_payload& payload, tlm_phase&, sc_core::sc_time&) {
    tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time delay = ns(4);
    b.master.socket->nb_transport_fw(payload, phase, delay);
    return tlm::TLM_ACCEPTED;
  };
  Caller caller("caller", [&] {
    tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    b.master.socket->nb_transport_fw(p, phase, delay);
  });
  b.run();
  CHECK(b.taker.log == Log{"request 0 @0", "unblocked @9", "taken @9"});
}

TEST_CASE("identity and class of an external payload with MemAttr are kept") {
  MasterBench b;
  auto& p = b.payload(tlm::TLM_READ_COMMAND, 0x100, 32);
  MemAttr attr;
  attr.access_class = AccessClass::atomic;
  attr.sm = 7;
  attr.pc = 0x48;
  p.set_extension(&attr);
  b.taker.take = [&](Txn& txn, Cycle at) {
    CHECK(txn.access().access_class == AccessClass::atomic);
    CHECK(txn.access().sm == 7);
    CHECK(txn.access().pc == 0x48);
    CHECK(txn.access().line == 0x100);
    return Accept::done(at + 4);
  };
  Caller caller("caller", [&] {
    tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    CHECK(b.master.socket->nb_transport_fw(p, phase, delay) == tlm::TLM_COMPLETED);
    CHECK(delay == ns(4));
    CHECK(p.is_response_ok());
  });
  b.run();
  CHECK(b.taker.log.size() == 1);
  p.clear_extension(&attr);
}

TEST_CASE("what cannot be modelled is refused with its status") {
  MasterBench b;
  static unsigned char enables[4] = {0xff, 0, 0xff, 0};
  auto& empty = b.payload(tlm::TLM_READ_COMMAND, 0x80, 32);
  auto& wrapping = b.payload(tlm::TLM_READ_COMMAND, ~std::uint64_t{0} - 3, 32);
  auto& nothing = b.payload(tlm::TLM_WRITE_COMMAND, 0x80, 32);  // no byte is enabled: done at once
  nothing.set_byte_enable_ptr(enables + 1);
  nothing.set_byte_enable_length(1);
  Caller caller("caller", [&] {
    for (tlm_generic_payload* p : {&wrapping, &nothing}) {
      tlm_phase phase = tlm::BEGIN_REQ;
      sc_core::sc_time delay;
      CHECK(b.master.socket->nb_transport_fw(*p, phase, delay) == tlm::TLM_COMPLETED);
    }
    sc_core::sc_time delay;
    empty.set_command(tlm::TLM_IGNORE_COMMAND);
    empty.set_data_length(0);
    b.master.socket->b_transport(empty, delay);
  });
  b.run();
  CHECK(nothing.get_response_status() == tlm::TLM_OK_RESPONSE);
  CHECK(wrapping.get_response_status() == tlm::TLM_BURST_ERROR_RESPONSE);
  CHECK(empty.get_response_status() == tlm::TLM_BURST_ERROR_RESPONSE);
  CHECK(b.taker.log.empty());
  CHECK(b.taker.memory[0x80] == 0x80);
}

TEST_CASE("what the standard forbids is refused with its status too") {
  MasterBench b;
  static unsigned char enables[4] = {0xff, 0, 0xff, 0};
  auto& streaming = b.payload(tlm::TLM_WRITE_COMMAND, 0x80, 32);
  streaming.set_streaming_width(0);
  auto& masked = b.payload(tlm::TLM_WRITE_COMMAND, 0x80, 32);
  masked.set_byte_enable_ptr(enables);
  masked.set_byte_enable_length(0);
  Caller caller("caller", [&] {
    sc_core::sc_time delay;
    b.master.socket->b_transport(streaming, delay);
    b.master.socket->b_transport(masked, delay);
  });
  sc_core::sc_start();
  CHECK(streaming.get_response_status() == tlm::TLM_BURST_ERROR_RESPONSE);
  CHECK(masked.get_response_status() == tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  CHECK(b.checker.violations() == 2);  // it says the same
  CHECK(b.taker.log.empty());
}

TEST_CASE("b_transport takes the time that the request takes") {
  MasterBench b;
  auto& p = b.payload(tlm::TLM_READ_COMMAND, 0x40, 4);
  b.taker.take = [&](Txn&, Cycle at) {
    b.taker.book(at + 20);
    return Accept::taken(at + 1);
  };
  b.taker.then = [&](Cycle) { b.taker.respond(); };
  double ended = 0;
  Caller caller("caller", [&] {
    sc_core::sc_time delay = ns(7);
    b.master.socket->b_transport(p, delay);
    CHECK(delay == sc_core::SC_ZERO_TIME);
    ended = now_ns();
  });
  b.run();
  CHECK(ended == Approx(27));
  CHECK(p.is_response_ok());
  CHECK(b.data[3] == 0x43);
  CHECK(b.checker.transactions() == 1);
}

TEST_CASE("b_transport answered at once waits until the answer's cycle") {
  MasterBench b;
  auto& p = b.payload(tlm::TLM_READ_COMMAND, 0x40, 4);
  b.taker.take = [](Txn&, Cycle at) { return Accept::done(at + 28); };
  double ended = 0;
  Caller caller("caller", [&] {
    sc_core::sc_time delay;
    b.master.socket->b_transport(p, delay);
    ended = now_ns() + delay.to_seconds() * 1e9;
  });
  b.run();
  CHECK(ended == Approx(28));
  CHECK(b.data[0] == 0x40);
}

TEST_CASE("threads that block on one socket take turns, a held one is answered without END_REQ") {
  MasterBench b;
  b.taker.take = [&](Txn&, Cycle at) {
    b.taker.book(at + 10);
    return Accept::held();
  };
  b.taker.then = [&](Cycle) {
    b.taker.respond();
    CHECK_FALSE(b.taker.in.holding());
  };
  auto& first = b.payload(tlm::TLM_READ_COMMAND, 0x000, 32);
  auto& second = b.payload(tlm::TLM_READ_COMMAND, 0x080, 32);
  std::vector<double> ended;
  const auto call = [&](tlm_generic_payload& p) {
    sc_core::sc_time delay = ns(1);
    b.master.socket->b_transport(p, delay);
    CHECK(p.is_response_ok());
    ended.push_back(now_ns());
  };
  Caller one("one", [&] { call(first); });
  Caller two("two", [&] { call(second); });
  b.run();
  REQUIRE(ended.size() == 2);
  // Seen in cycle 1, answered in 11. The second call begins then, but cycle 11 has run: seen in 12, answered
  // in 22.
  CHECK(ended[0] == Approx(11));
  CHECK(ended[1] == Approx(22));
  CHECK(b.taker.log.size() == 4);
}

TEST_CASE("b_transport ends when a held request is accepted and answered later") {
  MasterBench b;
  auto& p = b.payload(tlm::TLM_READ_COMMAND, 0, 32);
  b.taker.take = [&](Txn&, Cycle at) {
    b.taker.book(at + 4);
    b.taker.book(at + 9);
    return Accept::held();
  };
  b.taker.then = [&](Cycle now) {
    if (now == 4) b.taker.in.accept(5);
    if (now == 9) b.taker.respond();
  };
  double ended = 0;
  Caller caller("caller", [&] {
    sc_core::sc_time delay;
    b.master.socket->b_transport(p, delay);
    ended = now_ns();
  });
  b.run();
  CHECK(ended == Approx(9));
}

TEST_CASE("an external payload that passes inner hops is answered at the edge, once") {
  ClockDomain clock{"clock", Hertz(1'000'000'000)};
  WireInitiator master{"master"};
  Relay first{"first", clock}, second{"second", clock};
  Taker taker{"taker", clock};
  ProtocolChecker edge{"edge"}, inner{"inner"};
  edge.insert(master.socket, first.in);
  REQUIRE(first.out.bind_to(second.in, inner));  // seen by a checker
  REQUIRE(second.out.bind_to(taker.in));         // and directly
  CountingMemory memory;
  unsigned char data[32] = {};
  tlm_generic_payload payload(&memory);
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_address(0x40);
  payload.set_data_ptr(data);
  payload.set_data_length(32);
  payload.set_streaming_width(32);
  payload.acquire();
  taker.memory[0x40] = 7;
  taker.take = [&](Txn&, Cycle at) {
    taker.book(at + 10);
    return Accept::taken(at + 1);
  };
  taker.then = [&](Cycle) {
    taker.respond();
    CHECK(data[0] == 0);  // not before the edge
  };
  int answers = 0;
  master.answer = [&](tlm_generic_payload& answered, tlm_phase&, sc_core::sc_time&) {
    ++answers;
    CHECK(&answered == &payload);
    CHECK(answered.get_response_status() == tlm::TLM_OK_RESPONSE);
    CHECK(data[0] == 7);
    return tlm::TLM_COMPLETED;
  };
  Caller caller("caller", [&] {
    tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    master.socket->nb_transport_fw(payload, phase, delay);
  });
  sc_core::sc_start();
  CHECK(answers == 1);
  CHECK(payload.get_ref_count() == 1);
  CHECK(edge.violations() + inner.violations() == 0);
}
