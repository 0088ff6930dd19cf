#include "models/sm_cluster/sm_cluster_at.h"

#include <algorithm>

#include "models/sm_cluster/sm_core_hot.h"
#include "models/tlm/packet_tail.h"
#include "models/tlm/payload_bytes.h"

namespace strata {

SmClusterAt::SmClusterAt(sc_core::sc_module_name module_name, const SmClusterParams& params,
                         const BuildContext& context)
    : SmClusterShell(module_name, params, context) {
  sms_.reserve(static_cast<std::size_t>(params.sms));
  const auto decoder = std::make_shared<CtaDecoder>(params_);
  for (int s = 0; s < params.sms; ++s) {
    sms_.emplace_back(params_, tenants_.of(0), decoder);
    sms_.back().port = std::make_unique<InitiatorPort>(*this, "l1", s);
    touches_first(s, &sms_.back());
    visited_by<SmClusterAt, &SmClusterAt::visit>(s);
    states_.push_back(&sms_.back());
    sms_.back().core.join(*this, s);
  }
}

SmClusterAt::~SmClusterAt() = default;

const Access* SmClusterAt::held_of(int sm) const {
  const Txn* const blocked = sms_[static_cast<std::size_t>(sm)].blocked;
  return blocked == nullptr ? nullptr : &blocked->access();
}

void SmClusterAt::end_of_elaboration() {
  for (Sm& sm : sms_) sm.places = SmPlaces(*sm.port);
}

void SmClusterAt::release(const std::vector<ClusterWarp>& warps, Cycle now) {
  for (const ClusterWarp& warp : warps) {
    sms_[static_cast<std::size_t>(warp.sm)].core.go_on_after_cluster(warp.slot, now);
    book(now + 1, warp.sm);
  }
}

ClusterMeetingIf::Place SmClusterAt::find(const ResidentCta& mate, std::uint32_t rank) {
  for (std::size_t sm = 0; sm < sms_.size(); ++sm)
    if (ResidentCta* const cta = sms_[sm].core.find(mate, rank)) return {cta, static_cast<int>(sm)};
  return {};
}

// True while the SM only takes answers.
bool SmClusterAt::run_stalled(Sm& sm, int unit, Cycle now) {
  if (!update_stall(sm, now)) return false;
  SmTenant& tenant = *sm.tenant;
  sm.core.begin(now);
  if (sm.core.has_ended()) report(sm, unit, now);
  report_quiesced(tenant, now, [](const SmState& other) { return other.core.lines_in_flight() == 0; });
  const Cycle next = sm.core.next_timed(now);
  if (next != never) book_again(next, unit);
  return true;
}

void SmClusterAt::visit(Cycle now, int unit) {
  Sm& sm = sms_[static_cast<std::size_t>(unit)];
  if (now >= sm.tenant->attention && run_stalled(sm, unit, now)) return;
  sm.core.begin(now);
  // The copy engine and the load/store queue take turns at the link.
  const bool copy = sm.core.copies().any_waiting() && !sm.copy_was_last && sm.core.copy_waiting(now);
  const bool waiting = !copy && sm.core.line_waiting(now);
  const bool link_ready = sm.blocked == nullptr && sm.link_free <= now;
  if (waiting && link_ready) {
    const bool free = send_line(sm, unit, now);
    if (free && params_.lines_per_cycle != 1) send_more(sm, unit, now);
  }
  if (sm.core.copies().any_waiting()) [[unlikely]] {
    sm.copy_was_last = false;
    send_copy(sm, unit, now);
  }
  sm.core.issue(now);
  if (sm.core.has_ended()) report(sm, unit, now);

  const bool sends = !sm.core.lsu().empty() && sm.blocked == nullptr;
  if (sends && sm.link_free <= now + 1) return book_again(now + 1, unit);
  Cycle next = sm.core.next_wake(now);
  if (sends) next = std::min(next, sm.link_free);
  if (sm.core.copies().any_waiting() && sm.blocked == nullptr) [[unlikely]]
    next = std::min(next, std::max(sm.core.copies().next_turn(now), sm.link_free));
  if (next != never) book_again(next, unit);
}

// Tells the dispatcher what ended in this cycle; it acts on it in the next one.
void SmClusterAt::report(Sm& sm, int unit, Cycle now) {
  SmTenant& tenant = *sm.tenant;
  report_ended(sm, unit, now);
  if (sm.core.drained() && dispatcher_ != nullptr && is_drained(tenant.application))
    dispatcher_->drained(dispatcher_cluster_, tenant.application, clock().ledger_at(now));
}

// More lines in the cycle of one that has left. Each is a request of its own, and the L1 holds what its banks
// do not take.
[[gnu::noinline]] void SmClusterAt::send_more(Sm& sm, int unit, Cycle now) {
  bool free = true;
  for (int left = params_.lines_per_cycle - 1; left != 0 && free && sm.core.another_line(now); --left)
    free = send_line(sm, unit, now);
  if (sm.link_free <= now) sm.link_free = now + 1;
}

// The line whose turn it is. True when another may follow in this cycle: not behind one that takes the L1's
// port for a cycle.
bool SmClusterAt::send_line(Sm& sm, int unit, Cycle now) {
  Txn& txn = make_line_access(pool_, sm.core, sm.core.lsu(), cluster_ * sms() + unit, cluster_, clock(), now,
                              sm.places, sm.tenant->stall);
  if (carries_data_) make_bytes(txn);
  const std::uint8_t warp = sm.core.op().warp;
  const std::uint8_t slot = sm.core.op().slot;
  const InstructionWord instruction = sm.core.op().instruction;
  const bool local = instruction.local() && instruction.op() != OpClass::store;
  if (sm.tenant->by_kernel) ++sm.tenant->accesses_of(txn.access().kernel).in_flight;
  sm.core.line_sent(now);
  const Accept accept = sm.port->send(txn);
  if (accept.is_done()) {
    sm.link_free = now + 1;
    retire_hit(sm, txn, accept.at);
    sm.tenant->stats.local_hits += local;
    sm.core.answer_at_once(accept.at, warp, slot);
    return true;
  }
  note_link(sm, txn, accept);
  return sm.blocked == nullptr && sm.link_free <= now;
}

// A line of the copy engine, when the link is free.
[[gnu::noinline]] void SmClusterAt::send_copy(Sm& sm, int unit, Cycle now) {
  if (sm.blocked != nullptr || sm.link_free > now || !sm.core.copy_waiting(now)) return;
  Txn& txn = make_line_access(pool_, sm.core, sm.core.copies().queue(), cluster_ * sms() + unit, cluster_,
                              clock(), now, sm.places, sm.tenant->stall);
  if (carries_data_) make_bytes(txn);
  const MemoryOp op = sm.core.copies().queue().head();
  if (sm.tenant->by_kernel) ++sm.tenant->accesses_of(txn.access().kernel).in_flight;
  sm.core.copy_sent(now);
  sm.copy_was_last = true;
  const Accept accept = sm.port->send(txn);
  if (accept.is_done()) {
    sm.link_free = now + 1;
    retire_hit(sm, txn, accept.at);
    sm.core.answer_at_once(accept.at, op.warp, op.slot);
    return;
  }
  note_link(sm, txn, accept);
}

void SmClusterAt::note_link(Sm& sm, Txn& txn, const Accept& accept) {
  if (accept.is_held()) {
    ++sm.tenant->stats.held_requests;
    sm.blocked = &txn;
  } else {
    sm.link_free = accept.at;
  }
}

void SmClusterAt::request_unblocked(int port, Cycle at) {
  Sm& sm = sms_[static_cast<std::size_t>(port)];
  sm.blocked = nullptr;
  sm.link_free = at;
  book(at, port);
}

void SmClusterAt::retire_hit(Sm& sm, Txn& txn, Cycle at) {
  Access& access = txn.access();
  const Cycle retired = clock().ledger_at(at);
  access.ledger.charge_until(sm.places.pipeline, retired);
  const SmPlaces& places = sm.places;
  if (!sm.tenant->totals.add_hit(access, retired, places.queue, places.port, places.pipeline))
    ledger_error(*sm.tenant, access);
  sm.tenant->stats.memory_latency += retired - access.birth;
  if (sm.tenant->by_kernel) note_answer(*sm.tenant, access.kernel, at);
  txn.release();
}

// What a payload with this status calls it.
[[gnu::noinline]] void SmClusterAt::report_error(tlm::tlm_response_status status) {
  tlm::tlm_generic_payload payload;
  payload.set_response_status(status);
  SC_REPORT_ERROR(name(), ("error response: " + payload.get_response_string()).c_str());
}

Accept SmClusterAt::response(Txn& txn, int port, Cycle at) {
  Sm& sm = sms_[static_cast<std::size_t>(port)];
  Access& access = txn.access();
  const Cycle head = at;
  if (sm.places.network)  // the last flit brings the data
    at = charge_tail(*sm.port, clock(), access, head, sm.places.reply_link, sm.places.reply_serial);
  const Cycle retired = clock().ledger_at(at);
  // Whoever keeps a ledger has charged it up to now.
  access.ledger.charge_until(sm.places.foreign, retired);
  if (!sm.tenant->totals.add(access, retired)) ledger_error(*sm.tenant, access);
  sm.tenant->stats.memory_latency += retired - access.birth;
  if (access.failed != 0) report_error(txn.get_response_status());
  sm.core.answer(at, static_cast<std::uint8_t>(access.warp), access.load_slot);
  if (sm.tenant->by_kernel) note_answer(*sm.tenant, access.kernel, at);
  txn.release();
  book(at + 1, port);
  return Accept::taken(head + 1);
}

}  // namespace strata
