// Each case breaks the base protocol once, in one way; the checker must see it, and see nothing else.
#include "tb/support/wire_bench.h"

using namespace strata;
using strata::tb::WireBench;
using Rule = ProtocolRule;

TEST_CASE("the shortest legal transactions raise nothing") {
  WireBench b;
  b.target_says(tlm::TLM_UPDATED, tlm::END_REQ, 2);
  auto& p = b.read();
  CHECK(b.forward(p, tlm::BEGIN_REQ) == tlm::TLM_UPDATED);
  WireBench::pass(10);
  b.initiator_says(tlm::TLM_UPDATED, tlm::END_RESP, 1);
  CHECK(b.respond(p) == tlm::TLM_UPDATED);
  b.checker.check_finished();
  b.expect_none();
  CHECK(b.checker.transactions() == 1);
  CHECK(b.checker.open() == 0);
}

TEST_CASE("END_REQ twice") {
  WireBench b;
  auto& p = b.read();
  b.forward(p, tlm::BEGIN_REQ);
  b.backward(p, tlm::END_REQ);
  b.backward(p, tlm::END_REQ);
  b.expect_only(Rule::phase_order);
}

TEST_CASE("END_REQ after BEGIN_RESP") {
  WireBench b;
  auto& p = b.read();
  b.forward(p, tlm::BEGIN_REQ);
  b.respond(p);
  b.backward(p, tlm::END_REQ);
  b.expect_only(Rule::phase_order);
}

TEST_CASE("BEGIN_RESP twice") {
  WireBench b;
  auto& p = b.read();
  b.forward(p, tlm::BEGIN_REQ);
  b.respond(p);
  b.respond(p);
  b.expect_only(Rule::phase_order);
}

TEST_CASE("END_RESP before BEGIN_RESP") {
  WireBench b;
  auto& p = b.read();
  b.forward(p, tlm::BEGIN_REQ);
  b.forward(p, tlm::END_RESP);
  b.expect_only(Rule::phase_order);
}

TEST_CASE("a phase of the target on the forward path") {
  WireBench b;
  auto& p = b.read();
  b.forward(p, tlm::BEGIN_REQ);
  b.forward(p, tlm::END_REQ);
  b.expect_only(Rule::phase_order);
}

TEST_CASE("a phase of the initiator on the backward path") {
  WireBench b;
  auto& p = b.read();
  b.forward(p, tlm::BEGIN_REQ);
  b.backward(p, tlm::END_RESP);
  b.expect_only(Rule::phase_order);
}

TEST_CASE("BEGIN_REQ before the previous END_REQ") {
  WireBench b;
  b.forward(b.read(0x100), tlm::BEGIN_REQ);
  b.forward(b.read(0x200), tlm::BEGIN_REQ);
  b.expect_only(Rule::request_exclusion);
  CHECK_THAT(b.checker.messages()[0], strata::tb::has_text("0x100"));
}

TEST_CASE("BEGIN_REQ before the annotated time of the previous END_REQ") {
  WireBench b;
  b.target_says(tlm::TLM_UPDATED, tlm::END_REQ, 5);
  b.forward(b.read(), tlm::BEGIN_REQ);
  WireBench::pass(4);
  b.forward(b.read(), tlm::BEGIN_REQ);
  b.expect_only(Rule::request_exclusion);
}

TEST_CASE("BEGIN_REQ at the annotated time of the previous END_REQ is legal") {
  WireBench b;
  b.target_says(tlm::TLM_UPDATED, tlm::END_REQ, 5);
  b.forward(b.read(), tlm::BEGIN_REQ);
  WireBench::pass(4);
  b.forward(b.read(), tlm::BEGIN_REQ, 1);
  b.expect_none();
}

TEST_CASE("BEGIN_RESP before the previous END_RESP") {
  WireBench b;
  b.target_says(tlm::TLM_UPDATED, tlm::END_REQ);
  auto& first = b.read(0x100);
  auto& second = b.read(0x200);
  b.forward(first, tlm::BEGIN_REQ);
  b.forward(second, tlm::BEGIN_REQ);
  b.respond(first);
  b.respond(second);
  b.expect_only(Rule::response_exclusion);
}

TEST_CASE("BEGIN_RESP before the annotated time of the previous END_RESP") {
  WireBench b;
  b.target_says(tlm::TLM_UPDATED, tlm::END_REQ);
  auto& first = b.read(0x100);
  auto& second = b.read(0x200);
  b.forward(first, tlm::BEGIN_REQ);
  b.forward(second, tlm::BEGIN_REQ);
  b.initiator_says(tlm::TLM_UPDATED, tlm::END_RESP, 3);
  b.respond(first);
  WireBench::pass(2);
  b.respond(second);
  b.expect_only(Rule::response_exclusion);
}

TEST_CASE("BEGIN_RESP on the return path before the previous END_RESP") {
  WireBench b;
  auto& first = b.read(0x100);
  b.forward(first, tlm::BEGIN_REQ);
  b.respond(first);
  auto& second = b.read(0x200);
  b.target.answer = [](tlm::tlm_generic_payload& p, tlm::tlm_phase& phase, sc_core::sc_time&) {
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    phase = tlm::BEGIN_RESP;
    return tlm::TLM_UPDATED;
  };
  b.forward(second, tlm::BEGIN_REQ);
  b.expect_only(Rule::response_exclusion);
}

TEST_CASE("TLM_UPDATED without a new phase") {
  WireBench b;
  b.target_says(tlm::TLM_UPDATED);
  b.forward(b.read(), tlm::BEGIN_REQ);
  b.expect_only(Rule::return_value);
}

TEST_CASE("TLM_ACCEPTED with a new phase") {
  WireBench b;
  b.target_says(tlm::TLM_ACCEPTED, tlm::END_REQ);
  b.forward(b.read(), tlm::BEGIN_REQ);
  b.expect_only(Rule::return_value);
}

TEST_CASE("TLM_ACCEPTED with another delay") {
  WireBench b;
  b.target_says(tlm::TLM_ACCEPTED, tlm::UNINITIALIZED_PHASE, 1);
  b.forward(b.read(), tlm::BEGIN_REQ);
  b.expect_only(Rule::return_value);
}

TEST_CASE("TLM_UPDATED for END_REQ") {
  WireBench b;
  auto& p = b.read();
  b.forward(p, tlm::BEGIN_REQ);
  b.initiator_says(tlm::TLM_UPDATED, tlm::BEGIN_RESP);
  b.backward(p, tlm::END_REQ);
  b.expect_only(Rule::return_value);
}

TEST_CASE("TLM_UPDATED without END_RESP for BEGIN_RESP") {
  WireBench b;
  auto& p = b.read();
  b.forward(p, tlm::BEGIN_REQ);
  b.initiator_says(tlm::TLM_UPDATED, tlm::BEGIN_REQ);
  b.respond(p);
  b.expect_only(Rule::return_value);
}

TEST_CASE("TLM_UPDATED for END_RESP") {
  WireBench b;
  auto& p = b.read();
  b.forward(p, tlm::BEGIN_REQ);
  b.respond(p);
  b.target_says(tlm::TLM_UPDATED, tlm::END_RESP);
  b.forward(p, tlm::END_RESP);
  b.expect_only(Rule::return_value);
}

TEST_CASE("TLM_COMPLETED after BEGIN_RESP during the call") {
  WireBench b;
  auto& p = b.read();
  b.target.answer = [&b](tlm::tlm_generic_payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
    b.respond(payload);
    return tlm::TLM_COMPLETED;
  };
  b.forward(p, tlm::BEGIN_REQ);
  b.expect_only(Rule::return_value);
}

TEST_CASE("BEGIN_RESP after the end") {
  WireBench b;
  auto& p = b.read();
  b.forward(p, tlm::BEGIN_REQ);
  b.initiator_says(tlm::TLM_COMPLETED);
  b.respond(p);
  b.respond(p);
  b.expect_only(Rule::after_completion);
}

TEST_CASE("END_RESP after the end") {
  WireBench b;
  auto& p = b.read();
  b.forward(p, tlm::BEGIN_REQ);
  b.initiator_says(tlm::TLM_UPDATED, tlm::END_RESP);
  b.respond(p);
  b.forward(p, tlm::END_RESP);
  b.expect_only(Rule::after_completion);
}

TEST_CASE("BEGIN_RESP without a request") {
  WireBench b;
  b.respond(b.read());
  b.expect_only(Rule::after_completion);
}

TEST_CASE("a return value after the end") {
  WireBench b;
  auto& p = b.read();
  b.target.answer = [&b](tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
    b.respond(payload);
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  };
  b.initiator_says(tlm::TLM_COMPLETED);
  b.forward(p, tlm::BEGIN_REQ);
  b.expect_only(Rule::after_completion);
}

TEST_CASE("BEGIN_RESP before the annotated END_REQ of its own request") {
  WireBench b;
  b.target_says(tlm::TLM_UPDATED, tlm::END_REQ, 8);
  auto& p = b.read();
  b.forward(p, tlm::BEGIN_REQ);
  WireBench::pass(5);
  b.respond(p);
  b.expect_only(Rule::timing);
}

TEST_CASE("a delay that shrinks on the return path") {
  WireBench b;
  b.target.answer = [](tlm::tlm_generic_payload& p, tlm::tlm_phase&, sc_core::sc_time& delay) {
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    delay = sc_core::SC_ZERO_TIME;
    return tlm::TLM_COMPLETED;
  };
  b.forward(b.read(), tlm::BEGIN_REQ, 4);
  CHECK(b.checker.violations(Rule::timing) == b.checker.violations());
  CHECK(b.checker.violations() > 0);
}

TEST_CASE("an attribute that changes") {
  WireBench b;
  static unsigned char other[32];
  using Payload = tlm::tlm_generic_payload;
  const std::vector<std::pair<const char*, void (*)(Payload&)>> changes = {
      {"command", [](Payload& p) { p.set_write(); }},
      {"address", [](Payload& p) { p.set_address(0x2000); }},
      {"data pointer", [](Payload& p) { p.set_data_ptr(other); }},
      {"data length", [](Payload& p) { p.set_data_length(16); }},
      {"streaming width", [](Payload& p) { p.set_streaming_width(16); }},
      {"byte enable pointer", [](Payload& p) { p.set_byte_enable_ptr(other); }},
      {"byte enable length", [](Payload& p) { p.set_byte_enable_length(8); }},
  };
  b.initiator_says(tlm::TLM_COMPLETED);
  for (const auto& [what, change] : changes) {
    auto& p = b.read();
    b.forward(p, tlm::BEGIN_REQ);
    change(p);
    b.respond(p);
    CHECK_THAT(b.checker.messages().back(), strata::tb::has_text(what));
  }
  CHECK(b.checker.violations() == 7);
  CHECK(b.checker.violations(Rule::attribute) == 7);
}

TEST_CASE("an address that an interconnect may change") {
  WireBench b;
  b.checker.allow_address_changes();
  auto& p = b.read();
  b.forward(p, tlm::BEGIN_REQ);
  p.set_address(0);
  b.respond(p);
  b.expect_none();
}

TEST_CASE("a read without data") {
  WireBench b;
  auto& p = b.read();
  p.set_data_ptr(nullptr);
  b.forward(p, tlm::BEGIN_REQ);
  b.expect_only(Rule::attribute);
}

TEST_CASE("streaming width 0") {
  WireBench b;
  auto& p = b.read();
  p.set_streaming_width(0);
  b.forward(p, tlm::BEGIN_REQ);
  b.expect_only(Rule::attribute);
}

TEST_CASE("a request with a status") {
  WireBench b;
  auto& p = b.read();
  p.set_response_status(tlm::TLM_OK_RESPONSE);
  b.forward(p, tlm::BEGIN_REQ);
  b.expect_only(Rule::response_status);
}

TEST_CASE("a response without a status") {
  WireBench b;
  auto& p = b.read();
  b.forward(p, tlm::BEGIN_REQ);
  b.backward(p, tlm::BEGIN_RESP);
  b.expect_only(Rule::response_status);
}

TEST_CASE("TLM_COMPLETED without a status") {
  WireBench b;
  b.target_says(tlm::TLM_COMPLETED);
  b.forward(b.read(), tlm::BEGIN_REQ);
  b.expect_only(Rule::response_status);
}

TEST_CASE("b_transport without a status") {
  WireBench b;
  auto& p = b.read();
  sc_core::sc_time delay;
  b.initiator.socket->b_transport(p, delay);
  b.expect_only(Rule::response_status);
}

TEST_CASE("a request with the DMI hint") {
  WireBench b;
  auto& p = b.read();
  p.set_dmi_allowed(true);
  b.forward(p, tlm::BEGIN_REQ);
  b.expect_only(Rule::dmi_hint);
}

TEST_CASE("a payload without a memory manager") {
  WireBench b;
  auto& p = b.read();
  tlm::tlm_generic_payload bare;
  bare.set_read();
  bare.set_data_ptr(p.get_data_ptr());
  bare.set_data_length(32);
  bare.set_streaming_width(32);
  b.forward(bare, tlm::BEGIN_REQ);
  b.expect_only(Rule::memory_manager);
}

TEST_CASE("a payload without a reference") {
  WireBench b;
  auto& p = b.read();
  p.release();
  b.forward(p, tlm::BEGIN_REQ);
  b.expect_only(Rule::memory_manager);
}

TEST_CASE("a payload in two transactions") {
  WireBench b;
  b.target_says(tlm::TLM_UPDATED, tlm::END_REQ);
  auto& p = b.read();
  b.forward(p, tlm::BEGIN_REQ);
  b.forward(p, tlm::BEGIN_REQ);
  b.expect_only(Rule::reuse);
}

TEST_CASE("a transaction that never ends") {
  WireBench b;
  b.forward(b.read(0xabc0), tlm::BEGIN_REQ);
  WireBench::pass(100);
  b.expect_none();
  b.checker.check_finished();
  b.checker.check_finished();
  b.expect_only(Rule::unfinished);
  CHECK_THAT(b.checker.messages()[0], strata::tb::has_text("0xabc0"));
}

TEST_CASE("beyond the limit violations are only counted") {
  WireBench b;
  b.checker.set_report_limit(2);
  for (int i = 0; i < 5; ++i) b.respond(b.read());
  CHECK(b.checker.violations() == 5);
  CHECK(b.checker.messages().size() == 2);
}
