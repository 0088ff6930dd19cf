#include "models/tlm/register_port.h"

#include <cstring>

#include "models/common/text.h"

namespace strata {
namespace {

constexpr unsigned register_bytes = 8;
constexpr unsigned half_bytes = 4;

}  // namespace

RegisterPort::RegisterPort(Block& owner, const std::string& group, Counters counters)
    : PortBase(owner, group, 0, PortRole::target),
      tlm_target_socket<32, tlm::tlm_base_protocol_types, 1, sc_core::SC_ZERO_OR_MORE_BOUND>(
          (group + "_0").c_str()),
      counters_(counters) {
  bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
}

void RegisterPort::define(std::uint64_t offset, Register entry) {
  const auto index = static_cast<std::size_t>(offset / register_bytes);
  if (registers_.size() <= index) registers_.resize(index + 1);
  registers_[index] = std::move(entry);
}

// Netlists have no module that masters registers: benches bind their own initiator to the socket.
bool RegisterPort::bind_to(PortBase&) {
  return false;
}

std::string RegisterPort::access(tlm::tlm_generic_payload& payload) {
  const auto fail = [&](tlm::tlm_response_status status, const std::string& why) {
    payload.set_response_status(status);
    return why;
  };
  const std::uint64_t address = payload.get_address();
  const unsigned length = payload.get_data_length();
  const auto index = static_cast<std::size_t>(address / register_bytes);
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND)
    return fail(tlm::TLM_COMMAND_ERROR_RESPONSE, "neither reads nor writes");
  if (payload.get_byte_enable_ptr() != nullptr)
    return fail(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE, "has byte enables; allowed: none");
  if ((length != register_bytes && length != half_bytes) || payload.get_streaming_width() < length)
    return fail(
        tlm::TLM_BURST_ERROR_RESPONSE,
        "is " + std::to_string(length) + " bytes long; allowed: 8, or 4 for one half, without streaming");
  if (address % length != 0)
    return fail(tlm::TLM_BURST_ERROR_RESPONSE, "is not aligned to its " + std::to_string(length) + " bytes");
  if (index >= registers_.size() || !registers_[index].read)
    return fail(tlm::TLM_ADDRESS_ERROR_RESPONSE, "finds no register there");
  Register& entry = registers_[index];
  std::uint64_t value = entry.read();
  auto* const place =
      reinterpret_cast<unsigned char*>(&value) + address % register_bytes;  // little-endian hosts
  if (payload.is_read()) {
    std::memcpy(payload.get_data_ptr(), place, length);
  } else {
    if (!entry.write)
      return fail(tlm::TLM_COMMAND_ERROR_RESPONSE, "writes " + entry.name + ", which is read-only");
    std::memcpy(place, payload.get_data_ptr(), length);
    const std::string why = entry.write(value);
    if (!why.empty())
      return fail(tlm::TLM_GENERIC_ERROR_RESPONSE,
                  "writes " + std::to_string(value) + " to " + entry.name + ": " + why);
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  return {};
}

void RegisterPort::serve(tlm::tlm_generic_payload& payload) {
  ++(payload.is_write() ? counters_.writes : counters_.reads);
  const std::string why = access(payload);
  payload.set_dmi_allowed(false);
  if (why.empty()) return;
  ++counters_.errors;
  SC_REPORT_WARNING(
      "strata/registers",
      (std::string(owner_.name()) + ": an access to " + hex_text(payload.get_address()) + " " + why).c_str());
}

void RegisterPort::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  serve(payload);
  delay += sc_core::sc_time::from_value(owner_.clock().edge(1));
}

tlm::tlm_sync_enum RegisterPort::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                 sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;  // the end of a response that was never begun
  b_transport(payload, delay);
  return tlm::TLM_COMPLETED;
}

bool RegisterPort::get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi&) {
  payload.set_dmi_allowed(false);
  return false;
}

unsigned RegisterPort::transport_dbg(tlm::tlm_generic_payload& payload) {
  return access(payload).empty() ? payload.get_data_length() : 0;
}

}  // namespace strata
