#include "models/tlm/ports.h"

#include <algorithm>

#include "models/tlm/external.h"
#include "models/tlm/link_times.h"
#include "models/tlm/protocol_checker.h"

namespace strata {

using tlm::tlm_generic_payload;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

TargetPort::TargetPort(Block& owner, const std::string& group, int index, int id)
    : PortBase(owner, group, index, PortRole::target),
      tlm_target_socket<>(socket_name().c_str()),
      block_(owner),
      clock_(owner.clock()),
      id_(id < 0 ? index : id) {
  bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
}

TargetPort::~TargetPort() = default;

bool TargetPort::bind_to(PortBase& other) {
  return other.role() == PortRole::initiator && other.bind_to(*this);
}

tlm_sync_enum TargetPort::nb_transport_fw(tlm_generic_payload& payload, tlm_phase& phase,
                                          sc_core::sc_time& delay) {
  const Cycle at = clock_.arrival(delay);
  if (phase == tlm::BEGIN_REQ) {
    Txn* txn = Txn::from(payload);
    ExternalRequest* request = nullptr;
    if (txn == nullptr && (request = external().begin(payload)) == nullptr) return tlm::TLM_COMPLETED;
    const Accept accept = request != nullptr ? begin_parts(*request, at) : begin_request(*txn, at);
    if (accept.is_held()) {
      held_from_ = sc_core::sc_time_stamp() + delay;
      return tlm::TLM_ACCEPTED;
    }
    // In the sender's clock the link may be free before what came ahead has come: the phase is not.
    delay = accept.is_taken() ? std::max(delay, link_free(accept.at)) : clock_.delay_to(accept.at);
    if (accept.is_taken()) {
      phase = tlm::END_REQ;
      return tlm::TLM_UPDATED;
    }
    if (request != nullptr)
      external_->end(*request, block_, id_);
    else
      txn->publish_status();
    return tlm::TLM_COMPLETED;
  }
  if (phase == tlm::END_RESP && responding_ != nullptr) {
    end_of_response(at);
    return tlm::TLM_COMPLETED;
  }
  SC_REPORT_ERROR(tlm_target_socket<>::name(), "phase not allowed here by the base protocol");
  return tlm::TLM_ACCEPTED;
}

[[gnu::always_inline]] inline Accept TargetPort::begin_request(Txn& txn, Cycle at) {
  const Accept accept = block_.request(txn, id_, at);
  if (accept.is_held()) held_ = &txn;
  return accept;
}

/// The lines of an external request, one after the other until one is held. Done: all are answered.
Accept TargetPort::begin_parts(ExternalRequest& request, Cycle at) {
  while (request.sent < request.parts.size()) {
    Txn& txn = external_->next(request, clock_.ledger_now());
    const Accept accept = begin_request(txn, at);
    if (accept.is_held()) return accept;
    at = accept.is_taken() ? accept.at : at + 1;
    if (!accept.is_done()) continue;
    request.latest = std::max(request.latest, accept.at);
    external_->end_part(request, txn);
  }
  return request.complete() ? Accept::done(std::max(request.latest, at)) : Accept::taken(at);
}

void TargetPort::accept(Cycle until) {
  if (held_ == nullptr) return;  // its response has ended it
  Txn& txn = *held_;
  held_ = nullptr;
  if (source_ != nullptr) return source_->end_request(freed(clock_, source_->clock_, until));
  if (wraps(txn)) {
    ExternalRequest& request = external_->of(txn);
    if (request.blocking) return free_link(until);  // b_transport has no END_REQ
    const Accept accept = begin_parts(request, until);
    if (accept.is_held()) return;
    until = accept.at;  // not done: the one that was held has no answer yet
  }
  tlm_generic_payload& wire = wraps(txn) ? *txn.outer : txn;
  tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay = not_before(held_from_, link_free(until));
  if (backward_ == nullptr) backward_ = get_base_port().operator->();
  backward_->nb_transport_bw(wire, phase, delay);
}

const PortBase* TargetPort::peer_port() const {
  return source_;
}

// To another clock, to an external module, or to the request that is held.
Accept TargetPort::respond_beyond(Txn& txn, Cycle at) {
  if (source_ == nullptr) return respond_phases(txn, at);
  if (held_ == &txn) held_ = nullptr;  // BEGIN_RESP implies END_REQ
  responding_ = &txn;
  const bool across = direct_ == nullptr;
  const Cycle begin = across ? seen(clock_, source_->clock_, at) : std::max(at, clock_.now());
  const Accept accept = source_->begin_response(txn, begin);
  if (accept.is_held()) return response_held();
  responding_ = nullptr;
  return Accept::taken(across ? freed(source_->clock_, clock_, accept.at) : std::max(accept.at, begin));
}

// END_RESP may have come already, during the call.
Accept TargetPort::response_held() const {
  return responding_ == nullptr ? Accept::taken(std::max(free_at_, clock_.now() + 1)) : Accept::held();
}

Accept TargetPort::respond_phases(Txn& txn, Cycle at) {
  const bool was_held = held_ == &txn;
  if (was_held) held_ = nullptr;  // BEGIN_RESP implies END_REQ
  txn.publish_status();
  tlm_generic_payload& wire = wraps(txn) ? *txn.outer : txn;
  if (wraps(txn)) {
    at = std::max(at, clock_.now());
    if (!end_of_part(txn, was_held, at)) return Accept::taken(at + 1);
  }
  tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = clock_.delay_to(at);
  if (backward_ == nullptr) backward_ = get_base_port().operator->();
  responding_ = &txn;
  const tlm_sync_enum result = backward_->nb_transport_bw(wire, phase, delay);
  if (result == tlm::TLM_ACCEPTED || responding_ == nullptr) return response_held();
  responding_ = nullptr;
  return Accept::taken(clock_.arrival(delay));
}

sc_core::sc_time TargetPort::link_free(Cycle until) const {
  return freed_delay(clock_, sender_ == nullptr ? nullptr : &sender_->clock(), until);
}

ExternalRequests& TargetPort::external() {
  if (external_ == nullptr) external_ = std::make_unique<ExternalRequests>(clock_.carries_data());
  return *external_;
}

void TargetPort::free_link(Cycle until) {
  external_->link_busy = until;
  external_->link_free.notify(clock_.delay_to(until));
}

/// A line of an external request is answered in cycle `at`; true: its module gets the response, in cycle
/// `at`.
bool TargetPort::end_of_part(Txn& txn, bool was_held, Cycle& at) {
  ExternalRequest& request = external_->of(txn);
  if (request.blocking) {
    if (was_held) free_link(at);
    request.latest = std::max(request.latest, at);
    request.answered.push_back(&txn);
    request.last_reply.notify(clock_.delay_to(at));
    return false;
  }
  if (was_held) begin_parts(request, at);
  external_->end_part(request, txn);
  if (!request.complete()) return false;
  at = std::max(at, request.latest);
  external_->end(request, block_, id_);
  return true;
}

void TargetPort::b_transport(tlm_generic_payload& payload, sc_core::sc_time& delay) {
  sc_core::wait(delay);
  delay = sc_core::SC_ZERO_TIME;
  ExternalRequests& all = external();
  while (all.calls >= all.limit) sc_core::wait(all.call_over);
  ExternalRequest* const request = all.begin(payload);
  if (request == nullptr) return;
  ++all.calls;
  request->blocking = true;
  while (request->sent < request->parts.size()) {
    while (held_ != nullptr) sc_core::wait(all.link_free);
    if (clock_.now() < all.link_busy) {
      sc_core::wait(clock_.delay_to(all.link_busy));
      continue;
    }
    Txn& txn = all.next(*request, clock_.ledger_now());
    const Accept accept = begin_request(txn, clock_.now());
    if (accept.is_held()) continue;
    all.link_busy = accept.is_taken() ? accept.at : clock_.now() + 1;
    if (accept.is_taken()) continue;
    request->latest = std::max(request->latest, accept.at);
    request->answered.push_back(&txn);
  }
  while (request->answered.size() < request->parts.size()) sc_core::wait(request->last_reply);
  if (clock_.delay_to(request->latest) > sc_core::SC_ZERO_TIME)
    sc_core::wait(clock_.delay_to(request->latest));
  for (Txn* txn : request->answered) all.end_part(*request, *txn);
  request->answered.clear();
  all.end(*request, block_, id_);
  --all.calls;
  all.call_over.notify();
}

bool TargetPort::get_direct_mem_ptr(tlm_generic_payload&, tlm::tlm_dmi& dmi) {
  dmi.allow_none();
  return false;  // every access must be seen
}

unsigned TargetPort::transport_dbg(tlm_generic_payload& payload) {
  return block_.debug(payload, id_);
}

InitiatorPort::InitiatorPort(Block& owner, const std::string& group, int index, int id)
    : PortBase(owner, group, index, PortRole::initiator),
      tlm_initiator_socket<>(socket_name().c_str()),
      block_(owner),
      clock_(owner.clock()),
      id_(id < 0 ? index : id) {
  bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
}

bool TargetPort::bind_in(tlm::tlm_initiator_socket<>& from) {
  from.bind(static_cast<tlm::tlm_target_socket<>&>(*this));
  return true;
}

bool InitiatorPort::bind_out(tlm::tlm_target_socket<>& to) {
  bind(to);
  return true;
}

bool InitiatorPort::bind_to(PortBase& other) {
  auto* target = dynamic_cast<TargetPort*>(&other);
  if (target == nullptr) return other.bind_in(*this);
  bind(static_cast<tlm::tlm_target_socket<>&>(*target));
  meet(other);
  target_ = target;
  target->source_ = this;
  if (&target->clock_ == &clock_) {
    direct_ = &target->block_;
    direct_id_ = target->id_;
    target->direct_ = &block_;
    target->direct_id_ = id_;
  }
  taker_ = &target->clock_;
  target->sender_ = &block_;
  peer_ = target;
  return true;
}

bool InitiatorPort::bind_to(PortBase& other, ProtocolChecker& checker) {
  auto* target = dynamic_cast<TargetPort*>(&other);
  if (target == nullptr) return PortBase::bind_to(other, checker);
  checker.insert(*this, *target);
  meet(other);
  taker_ = &target->clock_;
  target->sender_ = &block_;
  peer_ = target;
  return true;
}

Accept InitiatorPort::direct_held(Txn& txn) {
  target_->held_ = &txn;
  return request_held();
}

// To another clock, or to an external module.
Accept InitiatorPort::send_beyond(Txn& txn, Cycle at) {
  if (target_ == nullptr) return send_phases(txn, at);
  waiting_ = &txn;
  const Accept accept = target_->begin_request(txn, seen(clock_, target_->clock_, at));
  if (accept.is_held()) return request_held();
  waiting_ = nullptr;
  if (accept.is_taken()) return Accept::taken(freed(target_->clock_, clock_, accept.at));
  return Accept::done(clock_.arrival(target_->clock_.delay_to(accept.at)));
}

// END_REQ or BEGIN_RESP may have come already, during the call.
Accept InitiatorPort::request_held() const {
  return waiting_ == nullptr ? Accept::taken(std::max(free_at_, clock_.now() + 1)) : Accept::held();
}

Accept InitiatorPort::send_phases(Txn& txn, Cycle begin) {
  if (forward_ == nullptr) forward_ = get_base_port().operator->();
  tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = clock_.delay_to(begin);
  waiting_ = &txn;
  txn.show();
  ++open_;
  const tlm_sync_enum result = forward_->nb_transport_fw(txn, phase, delay);
  if (result == tlm::TLM_ACCEPTED) return request_held();
  waiting_ = nullptr;
  if (result == tlm::TLM_UPDATED && phase == tlm::END_REQ) return Accept::taken(clock_.arrival(delay));
  const Cycle at = clock_.arrival(delay);
  --open_;
  txn.note_status();
  if (result == tlm::TLM_UPDATED) {  // BEGIN_RESP on the return path: end it when it has arrived
    phase = tlm::END_RESP;
    forward_->nb_transport_fw(txn, phase, delay);
  }
  return Accept::done(at);
}

void InitiatorPort::accept_beyond(Cycle until) {
  Txn& txn = *held_;
  held_ = nullptr;
  if (target_ != nullptr) return target_->end_of_response(freed(clock_, target_->clock_, until));
  tlm_phase phase = tlm::END_RESP;
  sc_core::sc_time delay = not_before(held_from_, link_free(until));
  forward_->nb_transport_fw(txn, phase, delay);
}

sc_core::sc_time InitiatorPort::link_free(Cycle until) const {
  return freed_delay(clock_, taker_, until);
}

unsigned InitiatorPort::debug(tlm_generic_payload& payload) {
  if (forward_ == nullptr) forward_ = get_base_port().operator->();
  return forward_->transport_dbg(payload);
}

tlm_sync_enum InitiatorPort::nb_transport_bw(tlm_generic_payload& payload, tlm_phase& phase,
                                             sc_core::sc_time& delay) {
  const Cycle at = clock_.arrival(delay);
  if (phase == tlm::END_REQ && waiting_ != nullptr) {
    end_request(at);
    return tlm::TLM_ACCEPTED;
  }
  if (phase == tlm::BEGIN_RESP) {
    if (open_ == 0) {  // the payload may be another request's by now, or free
      SC_REPORT_ERROR(tlm_initiator_socket<>::name(), "response to a request that has none outstanding");
      return tlm::TLM_COMPLETED;
    }
    --open_;
    Txn& txn = static_cast<Txn&>(payload);  // only payloads that we sent come back
    txn.note_status();
    const Accept accept = begin_response(txn, at);
    if (accept.is_held()) {
      held_from_ = sc_core::sc_time_stamp() + delay;
      return tlm::TLM_ACCEPTED;
    }
    phase = tlm::END_RESP;
    delay = std::max(delay, link_free(accept.at));
    return tlm::TLM_UPDATED;
  }
  SC_REPORT_ERROR(tlm_initiator_socket<>::name(), "phase not allowed here by the base protocol");
  return tlm::TLM_ACCEPTED;
}

[[gnu::always_inline]] inline Accept InitiatorPort::begin_response(Txn& txn, Cycle at) {
  if (waiting_ == &txn) end_request(at);  // BEGIN_RESP implies END_REQ
  const Accept accept = block_.response(txn, id_, at);
  if (accept.is_held()) held_ = &txn;
  return accept;
}

void InitiatorPort::end_request(Cycle at) {
  waiting_ = nullptr;
  free_at_ = at;
  block_.request_unblocked(id_, at);
}

void InitiatorPort::invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) {}

}  // namespace strata
