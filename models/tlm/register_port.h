#pragma once

#include <functional>
#include <string>
#include <vector>

#include <tlm>

#include "models/tlm/port_base.h"

namespace strata {

/// One 64-bit register of a window.
struct Register {
  std::string name;
  std::function<std::uint64_t()> read;
  std::function<std::string(std::uint64_t)>
      write;  ///< why the value cannot be had, empty if it was; null = read-only
};

/// A TLM target for hosts and RTL benches: registers of 64 bits, little-endian, at multiples of 8, accessed
/// whole or by halves of 32 bits. Replies at once, in one cycle of the owner's clock; what is wrong with an
/// access is said in its response status and in a SystemC warning. Debug accesses do the same without time,
/// without counting and without reports.
class RegisterPort final
    : public PortBase,
      public tlm::tlm_target_socket<32, tlm::tlm_base_protocol_types, 1, sc_core::SC_ZERO_OR_MORE_BOUND>,
      private tlm::tlm_fw_transport_if<> {
 public:
  struct Counters {
    std::uint64_t& reads;
    std::uint64_t& writes;
    std::uint64_t& errors;
  };
  RegisterPort(Block& owner, const std::string& group, Counters counters);

  /// Define the register at byte `offset`, a multiple of 8.
  void define(std::uint64_t offset, Register entry);
  bool bind_to(PortBase& other) override;

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;

  void serve(tlm::tlm_generic_payload& payload);
  /// Sets the response status; the reason when it is an error.
  std::string access(tlm::tlm_generic_payload& payload);

  Counters counters_;
  std::vector<Register> registers_;  // by offset / 8; without `read`: nothing there
};

}  // namespace strata
