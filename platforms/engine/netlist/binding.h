#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <systemc>
#include <tlm>

#include "platforms/engine/netlist/expression.h"

namespace strata::platforms {

/// `llc[m*8+k].noc[0]`; a missing index is empty.
struct BindingEnd {
  std::string instance;
  std::string port;
  std::size_t instance_offset = 0;
  std::size_t port_offset = 0;
  std::optional<Expression> index;
  std::optional<Expression> socket;
  std::string text;
};

/// `i in 0..7`: the range includes both ends.
struct BindingRange {
  std::string name;
  std::size_t offset = 0;
  Expression first;
  Expression last;
};

/// One binding statement: `from -> to [for i in 0..7, j in 0..3]`.
struct Binding {
  BindingEnd from;
  BindingEnd to;
  std::vector<BindingRange> ranges;
};

/// Throws SyntaxFault.
Binding read_binding(std::string_view text);

/// The brackets after an instance name in an override: `3` or `0..7`.
struct IndexRange {
  std::string first;
  std::string last;
};

/// Splits "llc[0..7]" into the name and its range; without brackets the range is empty. Throws SyntaxFault.
std::optional<IndexRange> read_indexed_name(std::string_view text, std::string& name);

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
