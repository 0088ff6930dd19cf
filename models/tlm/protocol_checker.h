#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <tlm>

#include "models/tlm/call_watch_if.h"

namespace strata {

/// What the checker checks. to_text() gives the sentence, clause() the place in IEEE 1666-2011.
enum class ProtocolRule : std::uint8_t {
  phase_order,         ///< BEGIN_REQ, END_REQ, BEGIN_RESP, END_RESP, each from the side it belongs to
  request_exclusion,   ///< no BEGIN_REQ before the previous request has ended
  response_exclusion,  ///< no BEGIN_RESP before the previous response has ended
  return_value,        ///< the return value and the phase that comes with it
  after_completion,    ///< a phase of a transaction that is over or never began
  timing,              ///< times of phases never run backwards
  attribute,           ///< attributes are sensible and stay as they were at BEGIN_REQ
  response_status,     ///< INCOMPLETE at the start, set at the response
  dmi_hint,            ///< DMI hint false at the start
  memory_manager,      ///< non-blocking payloads have a memory manager and a reference
  reuse,               ///< a payload is in one transaction at a time
  unfinished,          ///< every transaction ends
  count_
};
std::string to_text(ProtocolRule rule);
std::string clause(ProtocolRule rule);

/// Sits on one binding, passes every call on unchanged and at once, and checks the TLM-2.0 base protocol.
///
/// Insert it between any initiator and any target, Strata's or external:
///   ProtocolChecker checker("checker");
///   checker.insert(initiator_socket, target_socket);
/// It keeps no reference to payloads and looks at none that may be freed, so a run with it is the run without
/// it. Times are compared with two femtoseconds of slack: edges of clocks whose period is not a whole number
/// of femtoseconds are rounded.
class ProtocolChecker final : public sc_core::sc_module,
                              private tlm::tlm_fw_transport_if<>,
                              private tlm::tlm_bw_transport_if<> {
 public:
  explicit ProtocolChecker(sc_core::sc_module_name name);
  ~ProtocolChecker() override;

  tlm::tlm_target_socket<> target;        ///< bind the initiator to this one
  tlm::tlm_initiator_socket<> initiator;  ///< bind this one to the target

  /// Bind `from` to `to` with this checker between them; messages then name both sockets.
  void insert(tlm::tlm_initiator_socket<>& from, tlm::tlm_target_socket<>& to);
  /// What messages call the binding.
  void name_route(std::string route) { route_ = std::move(route); }
  /// Somebody who sees every call too. Without checks it sits there for the watch alone.
  void set_watch(CallWatchIf* watch, bool checks) {
    watch_ = watch;
    checks_ = checks;
  }
  /// External interconnects may change the address of what they pass on (IEEE 1666-2011, 14.7), blocks of
  /// Strata's never do. Call this where the target is such an interconnect.
  void allow_address_changes() { addresses_change_ = true; }
  /// Violations that are also reported as SC_WARNING and kept as text; the rest is only counted. Default 10.
  void set_report_limit(std::size_t limit) { report_limit_ = limit; }

  /// For the end of a run that was not cut short: each transaction that has not ended is a violation.
  /// Idempotent.
  void check_finished();

  std::uint64_t violations() const { return violations_; }
  std::uint64_t violations(ProtocolRule rule) const { return by_rule_[static_cast<std::size_t>(rule)]; }
  std::uint64_t transactions() const { return transactions_; }
  std::size_t open() const { return open_.size(); }
  const std::vector<std::string>& messages() const { return messages_; }

 private:
  enum class Stage : std::uint8_t { requested, accepted, responding, blocking };
  struct Attributes {
    tlm::tlm_command command;
    sc_dt::uint64 address;
    const unsigned char* data;
    unsigned length;
    unsigned streaming_width;
    const unsigned char* byte_enables;
    unsigned byte_enable_length;
  };
  struct Transaction {
    Stage stage;
    std::uint64_t serial;
    std::uint64_t time;  // of the last phase
    Attributes attributes;
  };
  /// Requests or responses of the binding: one at a time.
  struct Channel {
    const tlm::tlm_generic_payload* busy = nullptr;
    std::uint64_t free_at = 0;
  };
  using Payload = tlm::tlm_generic_payload;
  using Phase = tlm::tlm_phase;

  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, Phase& phase, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, Phase& phase, sc_core::sc_time& delay) override;
  void b_transport(Payload& payload, sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) override;
  unsigned transport_dbg(Payload& payload) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override;

  template <bool forward>
  tlm::tlm_sync_enum watched(Payload& payload, Phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum check_fw(Payload& payload, Phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum check_bw(Payload& payload, Phase& phase, sc_core::sc_time& delay);
  void check_free(const Channel& channel, std::uint64_t at);
  void begin_request(const Payload& payload, std::uint64_t at);
  void end_response(const Payload& payload, std::uint64_t at);
  void end_request(const Payload& payload, Transaction& transaction, std::uint64_t at);
  void begin_response(const Payload& payload, Transaction& transaction, std::uint64_t at);
  void complete(const Payload& payload);
  void after_request(const Payload& payload, std::uint64_t serial, tlm::tlm_sync_enum result,
                     const Phase& phase, std::uint64_t at);
  void after_response(const Payload& payload, std::uint64_t serial, tlm::tlm_sync_enum result,
                      const Phase& phase, std::uint64_t at);
  void check_returned(tlm::tlm_sync_enum result, const Phase& sent, const Phase& phase, std::uint64_t at,
                      const sc_core::sc_time& sent_delay, const sc_core::sc_time& delay);
  void check_start(const Payload& payload, bool blocking);
  void check_unchanged(const Payload& payload, const Transaction& transaction);
  void advance(Transaction& transaction, std::uint64_t at, const char* phase);
  Transaction* find(const Payload& payload, std::uint64_t serial = 0);
  Transaction& open(const Payload& payload, Stage stage, std::uint64_t at);
  void violate(ProtocolRule rule, const std::string& detail);

  std::map<const Payload*, Transaction> open_;
  Channel request_;
  Channel response_;
  std::uint64_t transactions_ = 0;
  std::uint64_t violations_ = 0;
  std::array<std::uint64_t, static_cast<std::size_t>(ProtocolRule::count_)> by_rule_{};
  std::vector<std::string> messages_;
  std::size_t report_limit_ = 10;
  bool addresses_change_ = false;
  bool finish_checked_ = false;
  bool checks_ = true;
  CallWatchIf* watch_ = nullptr;
  std::string route_;
};

}  // namespace strata
