// A TLM-2.0 module as a memory: it answers every request after a fixed time.
#include <tlm_utils/simple_target_socket.h>

#include "models/tlm/external_module.h"
#include "platforms/engine/plugins/plugin.h"

namespace {

struct Memory final : sc_core::sc_module {
  Memory(sc_core::sc_module_name name, const sc_core::sc_time& latency) : sc_module(name), latency_(latency) {
    socket.register_b_transport(this, &Memory::b_transport);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    delay += latency_;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  tlm_utils::simple_target_socket<Memory> socket{"socket"};

 private:
  sc_core::sc_time latency_;
};

struct MyPlugin {
  struct Params final : strata::ExternalParams {
    int latency = 100;
    void for_each_param(strata::ParamVisitor& v) override {
      v.integer({"latency", "ns", "of an access"}, latency, {1, 100'000});
    }
  };
  static std::vector<strata::PortSpec> ports(const Params&) {
    return {strata::tlm_sockets("in", strata::PortRole::target, 1, "accesses")};
  }
  static std::unique_ptr<Memory> make(const char* name, const Params& params) {
    return std::make_unique<Memory>(name, sc_core::sc_time(params.latency, sc_core::SC_NS));
  }
  static void add_sockets(Memory& memory, strata::ExternalSockets& sockets) {
    sockets.add("in", memory.socket);
  }
};

}  // namespace

STRATA_PLUGIN(rows) {
  rows.add(strata::external_kind<MyPlugin>("my_plugin", "a memory with a fixed latency"));
}
