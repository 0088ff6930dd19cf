// Ports: what a block says and hears against what goes over the wire, with Strata's blocks and with external
// modules. Clocks run at 1 GHz: a cycle is a nanosecond. The protocol checker sits on every binding.
#include "tb/support/ports_bench.h"

using namespace strata;
using namespace strata::tb;

namespace {

/// A sender; the checker sees each of its transactions.
struct CheckedSender {
  void run() {
    sc_core::sc_start();
    checker.check_finished();
    for (const std::string& message : checker.messages()) UNSCOPED_INFO(message);
    CHECK(checker.violations() == 0);
    CHECK(checker.transactions() > 0);
    CHECK(sender.pool.in_use() == 0);
  }
  ClockDomain clock{"clock", Hertz(1'000'000'000)};
  Sender sender{"sender", clock};
  ProtocolChecker checker{"checker"};
};

struct PairBench : CheckedSender {
  PairBench() { REQUIRE(sender.out.bind_to(taker.in, checker)); }
  Taker taker{"taker", clock};
};

/// Ours in front of an external target that answers as the test says.
struct ExternalTargetBench : CheckedSender {
  ExternalTargetBench() { checker.insert(sender.out, target.socket); }
  WireTarget target{"target"};
};

}  // namespace

TEST_CASE("taken: the link is busy until the end of the request") {
  PairBench b;
  b.sender.then = [&](Cycle) { b.sender.send(0x80); };
  b.taker.take = [&](Txn&, Cycle at) {
    b.taker.book(at + 6);
    return Accept::taken(at + 4);
  };
  b.taker.then = [&](Cycle) { b.taker.respond(); };
  b.sender.book(3);
  b.run();
  // Sent at 3, END_REQ at 7; response 6 cycles after the request, its END_RESP a cycle later.
  CHECK(b.taker.log == Log{"request 80 @3", "taken @10"});
  CHECK(b.sender.log == Log{"taken @7", "response 80 @9"});
  CHECK(b.sender.status == tlm::TLM_OK_RESPONSE);
}

TEST_CASE("held: END_REQ comes later, annotated") {
  PairBench b;
  b.sender.then = [&](Cycle) { b.sender.send(0x80); };
  b.taker.take = [&](Txn&, Cycle) {
    b.taker.book(10);
    return Accept::held();
  };
  b.taker.then = [&](Cycle now) {
    if (now == 20) b.taker.respond();
    if (now != 10) return;
    CHECK(b.sender.out.blocked());
    CHECK(b.taker.in.holding());
    b.taker.in.accept(12);
    CHECK_FALSE(b.taker.in.holding());
    CHECK_FALSE(b.sender.out.blocked());
    b.taker.book(20);
  };
  b.sender.book(3);
  b.run();
  CHECK(b.sender.log == Log{"held @0", "unblocked @12", "response 80 @20"});
}

TEST_CASE("held: the response implies END_REQ") {
  PairBench b;
  b.sender.then = [&](Cycle) { b.sender.send(0x80); };
  b.taker.take = [&](Txn&, Cycle) {
    b.taker.book(10);
    return Accept::held();
  };
  b.taker.then = [&](Cycle) { b.taker.respond(); };
  b.sender.book(3);
  b.run();
  CHECK(b.sender.log == Log{"held @0", "unblocked @10", "response 80 @10"});
  CHECK_FALSE(b.taker.in.holding());
}

TEST_CASE("done: answered with the request, pipelined") {
  PairBench b;
  b.sender.then = [&](Cycle now) {
    b.sender.send(128 * now);
    if (now < 3) b.sender.book(now + 1);
  };
  b.taker.take = [](Txn&, Cycle at) { return Accept::done(at + 28); };
  b.sender.book(1);
  b.run();
  CHECK(b.sender.log == Log{"done @29", "done @30", "done @31"});
  CHECK(b.checker.transactions() == 3);
}

TEST_CASE("a held response blocks the link until its end") {
  PairBench b;
  b.sender.hold = true;
  b.sender.then = [&](Cycle now) {
    if (now == 1) b.sender.send(0x80);
    if (now != 30) return;
    CHECK(b.taker.in.response_blocked());
    REQUIRE(b.sender.out.holding());
    Txn& txn = *b.sender.out.held();
    b.sender.out.accept(33);
    txn.release();
    CHECK_FALSE(b.taker.in.response_blocked());
  };
  b.taker.take = [&](Txn&, Cycle at) {
    b.taker.book(10);
    return Accept::taken(at + 1);
  };
  b.taker.then = [&](Cycle) { b.taker.respond(); };
  b.sender.book(1);
  b.sender.book(30);
  b.run();
  CHECK(b.taker.log == Log{"request 80 @1", "held @0", "unblocked @33"});
}

TEST_CASE("cycles cross clock domains at the first edge that is not earlier") {
  ClockDomain core("core", Hertz(1'000'000'000));
  ClockDomain dram("dram", Hertz(400'000'000), &core);  // edges every 2.5 ns
  Sender sender("sender", core);
  Taker taker("taker", dram);
  ProtocolChecker checker("checker");
  REQUIRE(sender.out.bind_to(taker.in, checker));
  sender.then = [&](Cycle) { sender.send(0x80); };
  taker.take = [&](Txn&, Cycle at) {
    taker.book(at + 2);
    return Accept::taken(at + 1);
  };
  taker.then = [&](Cycle) { taker.respond(); };
  sender.book(4);
  sc_core::sc_start();
  // 4 ns: seen at dram edge 2 (5 ns), which takes the link until edge 3: core cycle 6 (6 ns) is the first
  // that would be seen there. Response at edge 4 = 10 ns: core cycle 10, which takes the link until 11 ns:
  // dram edge 5 (12.5 ns).
  CHECK(sender.log == Log{"taken @6", "response 80 @10"});
  CHECK(taker.log == Log{"request 80 @2", "taken @5"});
  checker.check_finished();
  CHECK(checker.violations() == 0);
}

TEST_CASE("a port binds only to its counterpart") {
  ClockDomain clock("clock", Hertz(1'000'000'000));
  Sender sender("sender", clock);
  Sender other("other", clock);
  Taker taker("taker", clock);
  Taker last("last", clock);
  CHECK_FALSE(sender.out.bind_to(other.out));
  CHECK_FALSE(taker.in.bind_to(last.in));
  CHECK(taker.in.bind_to(sender.out));  // from either side
  CHECK(sender.out.peer() == "taker.in_0");
  CHECK(other.out.bind_to(last.in));
}

TEST_CASE("debug accesses pass through ports, DMI is denied") {
  PairBench b;
  b.sender.then = [&](Cycle) { b.sender.send(0); };
  b.taker.take = [](Txn&, Cycle at) { return Accept::done(at); };
  unsigned char data[4] = {1, 2, 3, 4};
  tlm_generic_payload payload;
  payload.set_write();
  payload.set_address(0x20);
  payload.set_data_ptr(data);
  payload.set_data_length(4);
  b.sender.book(0);
  b.run();
  CHECK(b.sender.out.debug(payload) == 4);
  CHECK(b.taker.memory[0x22] == 3);
  CHECK(b.taker.log.size() == 1);  // the load only: debug accesses are no requests
  tlm::tlm_dmi dmi;
  CHECK_FALSE(b.sender.out.get_base_port()->get_direct_mem_ptr(payload, dmi));
  CHECK(dmi.is_none_allowed());
}

TEST_CASE("an external target answers with TLM_COMPLETED") {
  ExternalTargetBench b;
  b.target.answer = [](tlm_generic_payload& p, tlm_phase&, sc_core::sc_time& delay) {
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    delay += ns(9);
    return tlm::TLM_COMPLETED;
  };
  b.sender.then = [&](Cycle) { b.sender.send(0x80); };
  b.sender.book(2);
  b.run();
  CHECK(b.sender.log == Log{"done @11"});
}

TEST_CASE("an external target answers with BEGIN_RESP on the return path") {
  ExternalTargetBench b;
  int ends = 0;
  b.target.answer = [&](tlm_generic_payload& p, tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::END_RESP) {
      ++ends;
      CHECK(delay == ns(5));  // not before the response is there
      return tlm::TLM_COMPLETED;
    }
    p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    phase = tlm::BEGIN_RESP;
    delay += ns(5);
    return tlm::TLM_UPDATED;
  };
  b.sender.then = [&](Cycle) { b.sender.send(0x80); };
  b.sender.book(2);
  b.run();
  CHECK(b.sender.log == Log{"done @7"});
  CHECK(b.sender.status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(ends == 1);
}

TEST_CASE("an external target ends the request late and answers with an annotated response") {
  ExternalTargetBench b;
  tlm_generic_payload* request = nullptr;
  b.target.answer = [&](tlm_generic_payload& p, tlm_phase&, sc_core::sc_time&) {
    request = &p;
    return tlm::TLM_ACCEPTED;
  };
  b.sender.then = [&](Cycle now) {
    tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time delay = ns(2);
    if (now == 1) b.sender.send(0x80);
    if (now == 10) CHECK(b.target.socket->nb_transport_bw(*request, phase, delay) == tlm::TLM_ACCEPTED);
    if (now != 20) return;
    phase = tlm::BEGIN_RESP;
    request->set_response_status(tlm::TLM_OK_RESPONSE);
    CHECK(b.target.socket->nb_transport_bw(*request, phase, delay) == tlm::TLM_UPDATED);
    CHECK(phase == tlm::END_RESP);
    CHECK(delay == ns(3));  // the response arrives at 22, its end is a cycle later
  };
  for (const Cycle cycle : {1, 10, 20}) b.sender.book(cycle);
  b.run();
  CHECK(b.sender.log == Log{"held @0", "unblocked @12", "response 80 @22"});
}

TEST_CASE("an external target ends the request during the call, annotated") {
  ExternalTargetBench b;
  b.target.answer = [&](tlm_generic_payload& p, tlm_phase&, sc_core::sc_time&) {
    tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time delay = ns(3);
    b.target.socket->nb_transport_bw(p, phase, delay);
    phase = tlm::BEGIN_RESP;
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    b.target.socket->nb_transport_bw(p, phase, delay);
    return tlm::TLM_ACCEPTED;
  };
  b.sender.then = [&](Cycle) { b.sender.send(0x80); };
  b.sender.book(5);
  b.run();
  // The end of the request at 8 counts, not the next cycle.
  CHECK(b.sender.log == Log{"unblocked @8", "response 80 @8", "taken @8"});
}

TEST_CASE("an external target that answers twice is reported, not followed") {
  ExternalTargetBench b;
  tlm_generic_payload* request = nullptr;
  b.target.answer = [&](tlm_generic_payload& p, tlm_phase&, sc_core::sc_time&) {
    request = &p;
    return tlm::TLM_ACCEPTED;
  };
  b.sender.then = [&](Cycle now) {
    if (now == 1) b.sender.send(0x80);
    if (now == 1) return;
    tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay;
    request->set_response_status(tlm::TLM_OK_RESPONSE);
    if (now == 10) CHECK(b.target.socket->nb_transport_bw(*request, phase, delay) == tlm::TLM_UPDATED);
    if (now == 20)
      CHECK_THROWS_AS(b.target.socket->nb_transport_bw(*request, phase, delay), sc_core::sc_report);
  };
  for (const Cycle cycle : {1, 10, 20}) b.sender.book(cycle);
  sc_core::sc_start();
  CHECK(b.sender.log == Log{"held @0", "unblocked @10", "response 80 @10"});
}
