#include "models/tlm/lt_ports.h"

#include <algorithm>

#include "models/tlm/foreign.h"
#include "models/tlm/txn_pool.h"

namespace strata {
namespace {

/// Cycle of `to` in which something is seen that happens at the edge of cycle `at` of `from`.
[[gnu::always_inline]] inline Cycle across(const ClockDomain& from, const ClockDomain& to, Cycle at) {
  return &from == &to ? at : to.arrival_from(from, at);
}

/// Cycle of `user` from which on it may use a link again that is taken until cycle `at` of `owner`.
[[gnu::always_inline]] inline Cycle freed(const ClockDomain& owner, const ClockDomain& user, Cycle at) {
  return &owner == &user ? at : user.free_from(owner, at);
}

}  // namespace

LtTargetPort::LtTargetPort(LtBlock& owner, const std::string& group, int index, int id)
    : PortBase(owner, group, index, PortRole::target),
      tlm_target_socket<>(socket_name().c_str()),
      block_(owner),
      clock_(owner.clock()),
      id_(id < 0 ? index : id) {
  bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
}

LtTargetPort::~LtTargetPort() = default;

bool LtTargetPort::bind_to(PortBase& other) {
  return other.role() == PortRole::initiator && other.bind_to(*this);
}

tlm::tlm_sync_enum LtTargetPort::nb_transport_fw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                                 sc_core::sc_time&) {
  SC_REPORT_ERROR(tlm_target_socket<>::name(),
                  "an lt socket takes b_transport only: put an AtLtAdapter in front of it");
  return tlm::TLM_ACCEPTED;
}

void LtTargetPort::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  Txn* txn = Txn::from(payload);
  const bool ours = txn != nullptr;
  const Cycle at = clock_.arrival(delay);
  if (!ours) {
    if (foreign_ == nullptr) foreign_ = std::make_unique<TxnPool>();
    txn = wrap_foreign(payload, *foreign_, clock_.ledger_at(at));
    if (txn == nullptr) return;
  }
  const LtAnswer answer = block_.transport(*txn, id_, at);
  txn->publish_status();
  delay = clock_.delay_to(answer.done);
  last_ = answer;
  if (!ours) unwrap_foreign(*txn, block_, id_);
}

bool LtTargetPort::get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
  dmi.allow_none();
  return false;  // every access must be seen
}

unsigned LtTargetPort::transport_dbg(tlm::tlm_generic_payload& payload) {
  return block_.debug(payload, id_);
}

void LtTargetPort::answer_across(Txn& txn, const LtAnswer& answer) {
  LtInitiatorPort& source = *source_;
  if (source.open_-- <= 0 && source.checked_) source.violation("an answer to nothing (16.2.4)");
  LtAnswer theirs = answer;
  theirs.done = across(clock_, source.clock_, answer.done);
  source.caller_->answered(txn, source.index(), theirs);
}

void LtTargetPort::accept(Cycle at) {
  held_ = nullptr;
  if (!queue_.empty()) return block_.port_free(at);
  tell_accepted(at);
}

void LtTargetPort::tell_refused() {
  source_->blocked_ = true;
  source_->caller_->refused(source_->index());
}

void LtTargetPort::tell_accepted(Cycle at) {
  source_->blocked_ = false;
  source_->caller_->accepted(source_->index(), freed(clock_, source_->clock_, at));
}

Cycle LtTargetPort::posted_ahead() const {
  const bool near = source_ != nullptr && source_->caller_ != nullptr && &source_->clock_ == &clock_;
  return near ? source_->caller_->posts_ahead() : 0;
}

bool LtTargetPort::called_for_at() const {
  return source_ != nullptr && source_->caller_ != nullptr && source_->caller_->speaks_for_at();
}

LtInitiatorPort::LtInitiatorPort(Block& owner, const std::string& group, int index, LtCaller* caller)
    : PortBase(owner, group, index, PortRole::initiator),
      tlm_initiator_socket<>(socket_name().c_str()),
      clock_(owner.clock()),
      caller_(caller) {
  bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
}

bool LtInitiatorPort::bind_to(PortBase& other) {
  auto* target = dynamic_cast<LtTargetPort*>(&other);
  if (target == nullptr) return false;
  bind(static_cast<tlm::tlm_target_socket<>&>(*target));
  meet(other);
  target_ = target;
  target->source_ = this;
  find_link();
  return true;
}

void LtInitiatorPort::find_link() {
  if (target_ == nullptr) return;
  const bool direct = !checked_ && &target_->clock_ == &clock_;
  link_ = direct ? LtTargetLink{&target_->block_, target_->id_} : LtTargetLink{};
  target_->link_ = direct ? LtCallerLink{caller_, index()} : LtCallerLink{};
}

LtAnswer LtInitiatorPort::transport(Txn& txn, Cycle at) {
  if (target_ == nullptr || checked_) return call(txn, at);
  const ClockDomain& theirs = target_->clock_;
  LtAnswer answer = target_->block_.transport(txn, target_->id_, across(clock_, theirs, at));
  answer.accepted = freed(theirs, clock_, answer.accepted);
  answer.done = across(theirs, clock_, answer.done);
  return answer;
}

LtAnswer LtInitiatorPort::post_across(Txn& txn, Cycle at) {
  if (target_ == nullptr) return call(txn, at);
  const ClockDomain& theirs = target_->clock_;
  const sc_dt::uint64 address = checked_ ? txn.get_address() : 0;  // it lies in another cache line
  ++open_;                                                         // the answer may come during the call
  LtAnswer answer = target_->block_.post(txn, target_->id_, across(clock_, theirs, at));
  if (answer.accepted != never) answer.accepted = freed(theirs, clock_, answer.accepted);
  if (answer.done != never) answer.done = across(theirs, clock_, answer.done);
  if (answer.done != never) --open_;
  if (checked_) {
    if (answer.done < at) violation("the answer comes before the request (11.1.3.1)");
    if (txn.get_address() != address) violation("the address was changed (14.7)");
  }
  return answer;
}

Accept LtInitiatorPort::send(Txn& txn) {
  const Cycle now = clock_.now();
  blocked_ = true;
  const LtAnswer answer = post(txn, now);
  if (answer.done != never) caller_->answered(txn, index(), answer);
  if (answer.accepted == never) return Accept::held();
  blocked_ = false;
  return Accept::taken(answer.accepted);
}

void LtInitiatorPort::accept(Cycle until) {
  held_ = nullptr;
  if (!queue_.empty()) static_cast<LtBlock&>(owner()).port_free(until);  // only shells hold answers
  answer_taken(began_, until);
}

// A foreign target says nothing but when it is done: its link takes a request a cycle.
LtAnswer LtInitiatorPort::call(Txn& txn, Cycle at) {
  sc_core::sc_time delay = clock_.delay_to(at);
  const sc_core::sc_time before = delay;
  const sc_dt::uint64 address = txn.get_address();
  get_base_port()->b_transport(txn, delay);
  txn.note_status();
  if (delay < before) violation("the delay shrank (IEEE 1666-2011, 11.1.3.1)");
  if (txn.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE) violation("no response status (14.17)");
  if (txn.get_address() != address) violation("the address was changed (14.7)");
  LtAnswer answer{at + 1, std::max(at, clock_.arrival(delay))};
  if (target_ == nullptr) return answer;
  const LtAnswer& said = target_->last_;
  return {freed(target_->clock_, clock_, said.accepted), answer.done, said.at_once, said.waits};
}

void LtInitiatorPort::violation(const char* rule) {
  if (++violations_ > 10) return;
  SC_REPORT_WARNING("strata/protocol",
                    (std::string(tlm_initiator_socket<>::name()) + " -> " + peer() + ": " + rule).c_str());
}

void LtInitiatorPort::answer_taken_across(Cycle began, Cycle until) {
  if (target_ == nullptr) return;
  const ClockDomain& theirs = target_->clock_;
  target_->block_.answer_taken(target_->id_, across(clock_, theirs, began), freed(clock_, theirs, until));
}

Cycle LtInitiatorPort::answered_ahead() const {
  return target_ != nullptr && &target_->clock_ == &clock_ ? target_->block_.answers_ahead() : 0;
}

unsigned LtInitiatorPort::debug(tlm::tlm_generic_payload& payload) {
  return get_base_port()->transport_dbg(payload);
}

tlm::tlm_sync_enum LtInitiatorPort::nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                                    sc_core::sc_time&) {
  SC_REPORT_ERROR(tlm_initiator_socket<>::name(), "an lt socket gets no phases");
  return tlm::TLM_ACCEPTED;
}

void LtInitiatorPort::invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) {}

}  // namespace strata
