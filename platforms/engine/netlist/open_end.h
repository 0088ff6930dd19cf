#pragma once

#include <systemc>
#include <tlm>

namespace strata::platforms {

/// Closes an optional initiator socket that the netlist leaves unbound, because SystemC requires every socket
/// to be bound. It replies to requests with an address error.
class OpenTarget final : public sc_core::sc_module, private tlm::tlm_fw_transport_if<> {
 public:
  explicit OpenTarget(sc_core::sc_module_name name);
  tlm::tlm_target_socket<> socket;

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;
};

/// Closes an optional target socket: never sends anything.
class OpenInitiator final : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
 public:
  explicit OpenInitiator(sc_core::sc_module_name name);
  tlm::tlm_initiator_socket<> socket;

 private:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override;
};

}  // namespace strata::platforms
