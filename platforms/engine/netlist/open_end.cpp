#include "platforms/engine/netlist/open_end.h"

namespace strata::platforms {

OpenTarget::OpenTarget(sc_core::sc_module_name name) : sc_module(name), socket("socket") {
  socket.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
}

tlm::tlm_sync_enum OpenTarget::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase&,
                                               sc_core::sc_time&) {
  payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  return tlm::TLM_COMPLETED;
}

void OpenTarget::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

bool OpenTarget::get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
  dmi.allow_none();
  return false;
}

unsigned OpenTarget::transport_dbg(tlm::tlm_generic_payload&) {
  return 0;
}

OpenInitiator::OpenInitiator(sc_core::sc_module_name name) : sc_module(name), socket("socket") {
  socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
}

tlm::tlm_sync_enum OpenInitiator::nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                                  sc_core::sc_time&) {
  SC_REPORT_ERROR(name(), "response to a request that was never sent");
  return tlm::TLM_COMPLETED;
}

void OpenInitiator::invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) {}

}  // namespace strata::platforms
