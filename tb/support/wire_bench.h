#pragma once

#include <deque>
#include <functional>

#include <tlm>

#include "models/tlm/protocol_checker.h"
#include "tb/support/catch.h"

namespace strata::tb {

/// Counts payloads without references; keeps their memory.
class CountingMemory final : public tlm::tlm_mm_interface {
 public:
  void free(tlm::tlm_generic_payload*) override { ++freed; }
  int freed = 0;
};

/// Any initiator: sends what the test says, answers with what the test set.
class WireInitiator final : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
 public:
  using Answer =
      std::function<tlm::tlm_sync_enum(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&)>;
  explicit WireInitiator(sc_core::sc_module_name name) : sc_module(name), socket("socket") {
    socket.bind(*this);
  }
  tlm::tlm_initiator_socket<> socket;
  Answer answer;  ///< none = TLM_ACCEPTED
  int invalidations = 0;

 private:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    return answer ? answer(payload, phase, delay) : tlm::TLM_ACCEPTED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override { ++invalidations; }
};

/// Any target: likewise.
class WireTarget final : public sc_core::sc_module, private tlm::tlm_fw_transport_if<> {
 public:
  explicit WireTarget(sc_core::sc_module_name name) : sc_module(name), socket("socket") {
    socket.bind(*this);
  }
  tlm::tlm_target_socket<> socket;
  WireInitiator::Answer answer;  ///< none = TLM_ACCEPTED
  std::function<void(tlm::tlm_generic_payload&, sc_core::sc_time&)> blocking;
  int dmi_requests = 0;
  int debugs = 0;

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    return answer ? answer(payload, phase, delay) : tlm::TLM_ACCEPTED;
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
    if (blocking) blocking(payload, delay);
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override {
    ++dmi_requests;
    return true;
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override {
    ++debugs;
    return payload.get_data_length();
  }
};

/// An initiator and a target with the checker between them. The test is both sides and moves the time.
struct WireBench {
  WireBench();
  /// A sound read of 32 bytes with one reference.
  tlm::tlm_generic_payload& read(std::uint64_t address = 0x1000);
  /// A call on the forward (backward) path, annotated by `ns`.
  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase phase, int ns = 0);
  tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase phase, int ns = 0);
  /// BEGIN_RESP with status OK.
  tlm::tlm_sync_enum respond(tlm::tlm_generic_payload& payload, int ns = 0);
  /// The target's (initiator's) answers from now on.
  void target_says(tlm::tlm_sync_enum result, tlm::tlm_phase phase = tlm::UNINITIALIZED_PHASE, int ns = 0);
  void initiator_says(tlm::tlm_sync_enum result, tlm::tlm_phase phase = tlm::UNINITIALIZED_PHASE, int ns = 0);
  /// Exactly one violation, of this rule, with a message that names rule, clause and sockets.
  void expect_only(ProtocolRule rule) const;
  void expect_none() const;
  static void pass(int ns) { sc_core::sc_start(sc_core::sc_time(ns, sc_core::SC_NS)); }

  WireInitiator initiator{"initiator"};
  ProtocolChecker checker{"checker"};
  WireTarget target{"target"};
  CountingMemory memory;
  std::deque<tlm::tlm_generic_payload> payloads;

 private:
  static WireInitiator::Answer always(tlm::tlm_sync_enum result, tlm::tlm_phase phase, int ns);
  unsigned char data_[128] = {};
};

}  // namespace strata::tb
