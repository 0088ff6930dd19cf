// Each case breaks the base protocol once, in one way; the checker must see it, and see nothing else.
#include "tb/support/wire_bench.h"

using namespace strata;
using strata::tb::WireBench;
using Rule = ProtocolRule;

namespace {

/// A bench with one sound read.
struct Read : WireBench {
  tlm::tlm_generic_payload& p = read();
};

}  // namespace

TEST_CASE_METHOD(Read, "the shortest legal transactions raise nothing") {
  target_says(tlm::TLM_UPDATED, tlm::END_REQ, 2);
  CHECK(forward(p, tlm::BEGIN_REQ) == tlm::TLM_UPDATED);
  pass(10);
  initiator_says(tlm::TLM_UPDATED, tlm::END_RESP, 1);
  CHECK(respond(p) == tlm::TLM_UPDATED);
  checker.check_finished();
  expect_none();
  CHECK(checker.transactions() == 1);
  CHECK(checker.open() == 0);
}

TEST_CASE_METHOD(Read, "END_REQ twice") {
  forward(p, tlm::BEGIN_REQ);
  backward(p, tlm::END_REQ);
  backward(p, tlm::END_REQ);
  expect_only(Rule::phase_order);
}

TEST_CASE_METHOD(Read, "END_REQ after BEGIN_RESP") {
  forward(p, tlm::BEGIN_REQ);
  respond(p);
  backward(p, tlm::END_REQ);
  expect_only(Rule::phase_order);
}

TEST_CASE_METHOD(Read, "BEGIN_RESP twice") {
  forward(p, tlm::BEGIN_REQ);
  respond(p);
  respond(p);
  expect_only(Rule::phase_order);
}

TEST_CASE_METHOD(Read, "END_RESP before BEGIN_RESP") {
  forward(p, tlm::BEGIN_REQ);
  forward(p, tlm::END_RESP);
  expect_only(Rule::phase_order);
}

TEST_CASE_METHOD(Read, "a phase of the target on the forward path") {
  forward(p, tlm::BEGIN_REQ);
  forward(p, tlm::END_REQ);
  expect_only(Rule::phase_order);
}

TEST_CASE_METHOD(Read, "a phase of the initiator on the backward path") {
  forward(p, tlm::BEGIN_REQ);
  backward(p, tlm::END_RESP);
  expect_only(Rule::phase_order);
}

TEST_CASE_METHOD(WireBench, "BEGIN_REQ before the previous END_REQ") {
  forward(read(0x100), tlm::BEGIN_REQ);
  forward(read(0x200), tlm::BEGIN_REQ);
  expect_only(Rule::request_exclusion);
  CHECK_THAT(checker.messages()[0], strata::tb::has_text("0x100"));
}

TEST_CASE_METHOD(WireBench, "BEGIN_REQ before the annotated time of the previous END_REQ") {
  target_says(tlm::TLM_UPDATED, tlm::END_REQ, 5);
  forward(read(), tlm::BEGIN_REQ);
  pass(4);
  forward(read(), tlm::BEGIN_REQ);
  expect_only(Rule::request_exclusion);
}

TEST_CASE_METHOD(WireBench, "BEGIN_REQ at the annotated time of the previous END_REQ is legal") {
  target_says(tlm::TLM_UPDATED, tlm::END_REQ, 5);
  forward(read(), tlm::BEGIN_REQ);
  pass(4);
  forward(read(), tlm::BEGIN_REQ, 1);
  expect_none();
}

TEST_CASE_METHOD(WireBench, "BEGIN_RESP before the previous END_RESP") {
  target_says(tlm::TLM_UPDATED, tlm::END_REQ);
  auto& first = read(0x100);
  auto& second = read(0x200);
  forward(first, tlm::BEGIN_REQ);
  forward(second, tlm::BEGIN_REQ);
  respond(first);
  respond(second);
  expect_only(Rule::response_exclusion);
}

TEST_CASE_METHOD(WireBench, "BEGIN_RESP before the annotated time of the previous END_RESP") {
  target_says(tlm::TLM_UPDATED, tlm::END_REQ);
  auto& first = read(0x100);
  auto& second = read(0x200);
  forward(first, tlm::BEGIN_REQ);
  forward(second, tlm::BEGIN_REQ);
  initiator_says(tlm::TLM_UPDATED, tlm::END_RESP, 3);
  respond(first);
  pass(2);
  respond(second);
  expect_only(Rule::response_exclusion);
}

TEST_CASE_METHOD(WireBench, "BEGIN_RESP on the return path before the previous END_RESP") {
  auto& first = read(0x100);
  forward(first, tlm::BEGIN_REQ);
  respond(first);
  auto& second = read(0x200);
  target.answer = [](tlm::tlm_generic_payload& p, tlm::tlm_phase& phase, sc_core::sc_time&) {
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    phase = tlm::BEGIN_RESP;
    return tlm::TLM_UPDATED;
  };
  forward(second, tlm::BEGIN_REQ);
  expect_only(Rule::response_exclusion);
}

TEST_CASE_METHOD(WireBench, "TLM_UPDATED without a new phase") {
  target_says(tlm::TLM_UPDATED);
  forward(read(), tlm::BEGIN_REQ);
  expect_only(Rule::return_value);
}

TEST_CASE_METHOD(WireBench, "TLM_ACCEPTED with a new phase") {
  target_says(tlm::TLM_ACCEPTED, tlm::END_REQ);
  forward(read(), tlm::BEGIN_REQ);
  expect_only(Rule::return_value);
}

TEST_CASE_METHOD(WireBench, "TLM_ACCEPTED with another delay") {
  target_says(tlm::TLM_ACCEPTED, tlm::UNINITIALIZED_PHASE, 1);
  forward(read(), tlm::BEGIN_REQ);
  expect_only(Rule::return_value);
}

TEST_CASE_METHOD(Read, "TLM_UPDATED for END_REQ") {
  forward(p, tlm::BEGIN_REQ);
  initiator_says(tlm::TLM_UPDATED, tlm::BEGIN_RESP);
  backward(p, tlm::END_REQ);
  expect_only(Rule::return_value);
}

TEST_CASE_METHOD(Read, "TLM_UPDATED without END_RESP for BEGIN_RESP") {
  forward(p, tlm::BEGIN_REQ);
  initiator_says(tlm::TLM_UPDATED, tlm::BEGIN_REQ);
  respond(p);
  expect_only(Rule::return_value);
}

TEST_CASE_METHOD(Read, "TLM_UPDATED for END_RESP") {
  forward(p, tlm::BEGIN_REQ);
  respond(p);
  target_says(tlm::TLM_UPDATED, tlm::END_RESP);
  forward(p, tlm::END_RESP);
  expect_only(Rule::return_value);
}

TEST_CASE_METHOD(Read, "TLM_COMPLETED after BEGIN_RESP during the call") {
  target.answer = [this](tlm::tlm_generic_payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
    respond(payload);
    return tlm::TLM_COMPLETED;
  };
  forward(p, tlm::BEGIN_REQ);
  expect_only(Rule::return_value);
}

TEST_CASE_METHOD(Read, "BEGIN_RESP after the end") {
  forward(p, tlm::BEGIN_REQ);
  initiator_says(tlm::TLM_COMPLETED);
  respond(p);
  respond(p);
  expect_only(Rule::after_completion);
}

TEST_CASE_METHOD(Read, "END_RESP after the end") {
  forward(p, tlm::BEGIN_REQ);
  initiator_says(tlm::TLM_UPDATED, tlm::END_RESP);
  respond(p);
  forward(p, tlm::END_RESP);
  expect_only(Rule::after_completion);
}

TEST_CASE_METHOD(WireBench, "BEGIN_RESP without a request") {
  respond(read());
  expect_only(Rule::after_completion);
}

TEST_CASE_METHOD(Read, "a return value after the end") {
  target.answer = [this](tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
    respond(payload);
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  };
  initiator_says(tlm::TLM_COMPLETED);
  forward(p, tlm::BEGIN_REQ);
  expect_only(Rule::after_completion);
}

TEST_CASE_METHOD(Read, "BEGIN_RESP before the annotated END_REQ of its own request") {
  target_says(tlm::TLM_UPDATED, tlm::END_REQ, 8);
  forward(p, tlm::BEGIN_REQ);
  pass(5);
  respond(p);
  expect_only(Rule::timing);
}

TEST_CASE_METHOD(WireBench, "a delay that shrinks on the return path") {
  target.answer = [](tlm::tlm_generic_payload& p, tlm::tlm_phase&, sc_core::sc_time& delay) {
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    delay = sc_core::SC_ZERO_TIME;
    return tlm::TLM_COMPLETED;
  };
  forward(read(), tlm::BEGIN_REQ, 4);
  CHECK(checker.violations(Rule::timing) == checker.violations());
  CHECK(checker.violations() > 0);
}

TEST_CASE_METHOD(WireBench, "an attribute that changes") {
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
  initiator_says(tlm::TLM_COMPLETED);
  for (const auto& [what, change] : changes) {
    auto& p = read();
    forward(p, tlm::BEGIN_REQ);
    change(p);
    respond(p);
    CHECK_THAT(checker.messages().back(), strata::tb::has_text(what));
  }
  CHECK(checker.violations() == 7);
  CHECK(checker.violations(Rule::attribute) == 7);
}

TEST_CASE_METHOD(Read, "an address that an interconnect may change") {
  checker.allow_address_changes();
  forward(p, tlm::BEGIN_REQ);
  p.set_address(0);
  respond(p);
  expect_none();
}

TEST_CASE_METHOD(Read, "a read without data") {
  p.set_data_ptr(nullptr);
  forward(p, tlm::BEGIN_REQ);
  expect_only(Rule::attribute);
}

TEST_CASE_METHOD(Read, "streaming width 0") {
  p.set_streaming_width(0);
  forward(p, tlm::BEGIN_REQ);
  expect_only(Rule::attribute);
}

TEST_CASE_METHOD(Read, "a request with a status") {
  p.set_response_status(tlm::TLM_OK_RESPONSE);
  forward(p, tlm::BEGIN_REQ);
  expect_only(Rule::response_status);
}

TEST_CASE_METHOD(Read, "a response without a status") {
  forward(p, tlm::BEGIN_REQ);
  backward(p, tlm::BEGIN_RESP);
  expect_only(Rule::response_status);
}

TEST_CASE_METHOD(WireBench, "TLM_COMPLETED without a status") {
  target_says(tlm::TLM_COMPLETED);
  forward(read(), tlm::BEGIN_REQ);
  expect_only(Rule::response_status);
}

TEST_CASE_METHOD(Read, "b_transport without a status") {
  sc_core::sc_time delay;
  initiator.socket->b_transport(p, delay);
  expect_only(Rule::response_status);
}

TEST_CASE_METHOD(Read, "a request with the DMI hint") {
  p.set_dmi_allowed(true);
  forward(p, tlm::BEGIN_REQ);
  expect_only(Rule::dmi_hint);
}

TEST_CASE_METHOD(Read, "a payload without a memory manager") {
  tlm::tlm_generic_payload bare;
  bare.set_read();
  bare.set_data_ptr(p.get_data_ptr());
  bare.set_data_length(32);
  bare.set_streaming_width(32);
  forward(bare, tlm::BEGIN_REQ);
  expect_only(Rule::memory_manager);
}

TEST_CASE_METHOD(Read, "a payload without a reference") {
  p.release();
  forward(p, tlm::BEGIN_REQ);
  expect_only(Rule::memory_manager);
}

TEST_CASE_METHOD(Read, "a payload in two transactions") {
  target_says(tlm::TLM_UPDATED, tlm::END_REQ);
  forward(p, tlm::BEGIN_REQ);
  forward(p, tlm::BEGIN_REQ);
  expect_only(Rule::reuse);
}

TEST_CASE_METHOD(WireBench, "a transaction that never ends") {
  forward(read(0xabc0), tlm::BEGIN_REQ);
  pass(100);
  expect_none();
  checker.check_finished();
  checker.check_finished();
  expect_only(Rule::unfinished);
  CHECK_THAT(checker.messages()[0], strata::tb::has_text("0xabc0"));
}

TEST_CASE_METHOD(WireBench, "beyond the limit violations are only counted") {
  checker.set_report_limit(2);
  for (int i = 0; i < 5; ++i) respond(read());
  CHECK(checker.violations() == 5);
  CHECK(checker.messages().size() == 2);
}
