#pragma once

#include <cstdint>
#include <functional>

#include <tlm>

#include "tb/support/catch.h"

namespace strata::tb {

/// A third-party initiator: knows TLM and nothing of Strata.
class Host final : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
 public:
  explicit Host(sc_core::sc_module_name name) : sc_module(name) {
    socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
    SC_HAS_PROCESS(Host);
    SC_THREAD(run);
  }
  tlm::tlm_initiator_socket<> socket{"socket"};
  std::function<void()> program;

  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address, std::uint64_t& value,
                                  unsigned length = 8, bool debug = false, bool enables = false) {
    unsigned char enable = 0xff;
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(length);
    payload.set_streaming_width(length);
    if (enables) {
      payload.set_byte_enable_ptr(&enable);
      payload.set_byte_enable_length(1);
    }
    if (debug) {
      moved = socket->transport_dbg(payload);
    } else {
      delay = sc_core::SC_ZERO_TIME;
      socket->b_transport(payload, delay);
    }
    return payload.get_response_status();
  }
  std::uint64_t read(std::uint64_t address) {
    std::uint64_t value = 0;
    CHECK(access(tlm::TLM_READ_COMMAND, address, value) == tlm::TLM_OK_RESPONSE);
    return value;
  }
  tlm::tlm_response_status write(std::uint64_t address, std::uint64_t value) {
    return access(tlm::TLM_WRITE_COMMAND, address, value);
  }
  unsigned moved = 0;
  sc_core::sc_time delay;

 private:
  void run() {
    if (program) program();
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_ACCEPTED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

}  // namespace strata::tb
