#include "tb/support/wire_bench.h"

namespace strata::tb {

using sc_core::sc_time;
using tlm::tlm_generic_payload;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

WireBench::WireBench() {
  sc_core::sc_report_handler::set_actions("strata/protocol", sc_core::SC_WARNING, sc_core::SC_DO_NOTHING);
  checker.insert(initiator.socket, target.socket);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

tlm_generic_payload& WireBench::read(std::uint64_t address) {
  tlm_generic_payload& payload = payloads.emplace_back(&memory);
  payload.set_read();
  payload.set_address(address);
  payload.set_data_ptr(data_);
  payload.set_data_length(32);
  payload.set_streaming_width(32);
  payload.acquire();
  return payload;
}

tlm_sync_enum WireBench::forward(tlm_generic_payload& payload, tlm_phase phase, int ns) {
  sc_time delay(ns, sc_core::SC_NS);
  return initiator.socket->nb_transport_fw(payload, phase, delay);
}

tlm_sync_enum WireBench::backward(tlm_generic_payload& payload, tlm_phase phase, int ns) {
  sc_time delay(ns, sc_core::SC_NS);
  return target.socket->nb_transport_bw(payload, phase, delay);
}

tlm_sync_enum WireBench::respond(tlm_generic_payload& payload, int ns) {
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  return backward(payload, tlm::BEGIN_RESP, ns);
}

WireInitiator::Answer WireBench::always(tlm_sync_enum result, tlm_phase phase, int ns) {
  return [=](tlm_generic_payload&, tlm_phase& its_phase, sc_time& its_delay) {
    if (phase != tlm::UNINITIALIZED_PHASE) its_phase = phase;
    if (ns != 0) its_delay += sc_time(ns, sc_core::SC_NS);
    return result;
  };
}

void WireBench::target_says(tlm_sync_enum result, tlm_phase phase, int ns) {
  target.answer = always(result, phase, ns);
}

void WireBench::initiator_says(tlm_sync_enum result, tlm_phase phase, int ns) {
  initiator.answer = always(result, phase, ns);
}

void WireBench::expect_only(ProtocolRule rule) const {
  for (const std::string& message : checker.messages()) UNSCOPED_INFO(message);
  CHECK(checker.violations() == 1);
  CHECK(checker.violations(rule) == 1);
  REQUIRE(checker.messages().size() == 1);
  CHECK_THAT(checker.messages()[0], has_text("initiator.socket -> target.socket"));
  CHECK_THAT(checker.messages()[0], has_text(to_text(rule)));
  CHECK_THAT(checker.messages()[0], has_text(clause(rule)));
}

void WireBench::expect_none() const {
  for (const std::string& message : checker.messages()) UNSCOPED_INFO(message);
  CHECK(checker.violations() == 0);
  CHECK(checker.messages().empty());
}

}  // namespace strata::tb
