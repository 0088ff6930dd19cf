#pragma once

#include <cstdint>
#include <deque>
#include <random>

#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "tb/contract/run.h"

// Modules in the manner of SystemC's examples, which know nothing of Strata. They read and write at random
// within lines of 128 bytes.

namespace strata::contract {

/// What one of them has seen.
struct PlainCount {
  std::uint64_t requests = 0, answers = 0, errors = 0;
};

/// Payloads for the non-blocking interface.
class PayloadPool final : public tlm::tlm_mm_interface {
 public:
  ~PayloadPool() override;
  tlm::tlm_generic_payload& make();
  void free(tlm::tlm_generic_payload* payload) override;
  std::uint64_t in_use() const { return in_use_; }

 private:
  std::vector<tlm::tlm_generic_payload*> free_;
  std::uint64_t in_use_ = 0;
};

/// Knows the base protocol; several requests in flight, and it takes its time over some responses.
class PlainMaster final : public sc_core::sc_module {
 public:
  PlainMaster(sc_core::sc_module_name name, int requests, std::uint64_t seed);
  tlm_utils::simple_initiator_socket<PlainMaster> socket{"socket"};
  PlainCount count;
  PayloadPool pool;

 private:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  void arrived(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase);
  void send();
  void finish(tlm::tlm_generic_payload& payload);

  const int requests_;
  std::mt19937_64 random_;
  tlm_utils::peq_with_cb_and_phase<PlainMaster> arrivals_;
  sc_core::sc_event next_;
  tlm::tlm_generic_payload* requesting_ = nullptr;  // until its END_REQ
  int in_flight_ = 0;
};

/// Knows b_transport only; uses temporal decoupling.
class BlockingMaster final : public sc_core::sc_module {
 public:
  BlockingMaster(sc_core::sc_module_name name, int requests, std::uint64_t seed);
  tlm_utils::simple_initiator_socket<BlockingMaster> socket{"socket"};
  PlainCount count;

 private:
  void run();
  const int requests_;
  std::mt19937_64 random_;
};

/// Knows the base protocol; holds some requests back, and answers out of order.
class PlainMemory final : public sc_core::sc_module {
 public:
  PlainMemory(sc_core::sc_module_name name, std::uint64_t seed);
  tlm_utils::simple_target_socket<PlainMemory> socket{"socket"};
  PlainCount count;

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  void arrived(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase);
  void respond();

  std::mt19937_64 random_;
  tlm_utils::peq_with_cb_and_phase<PlainMemory> arrivals_;
  std::deque<tlm::tlm_generic_payload*> ready_;
  tlm::tlm_generic_payload* responding_ = nullptr;
};

/// Knows b_transport only.
class BlockingMemory final : public sc_core::sc_module {
 public:
  explicit BlockingMemory(sc_core::sc_module_name name);
  tlm_utils::simple_target_socket<BlockingMemory> socket{"socket"};
  PlainCount count;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
};

/// The module among third-party modules only: plain TLM-2.0 initiators in front of its target sockets, plain
/// targets behind its initiator sockets. A module that sends requests by itself has no initiators in front;
/// SMs get their kernels from Strata's dispatcher.
struct ExternalCase {
  bool blocking_masters = false;   ///< the initiators call b_transport
  bool blocking_memories = false;  ///< the targets know b_transport only
  bool driven = false;             ///< the module has no initiators in front: it sends requests by itself
  std::uint64_t seed = 1;
};
std::string to_text(const ExternalCase& what);

/// None where the sockets of its role allow no externals.
std::vector<ExternalCase> external_cases(const ModuleKind& kind);

/// In a process of its own. Every request must come back OK, calls keep to the protocol, and afterwards the
/// module is idle, keeps its laws, and has counted what the externals have.
Findings run_among_externals(const ModuleKind& kind, const ExternalCase& what);

}  // namespace strata::contract
