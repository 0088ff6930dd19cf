#include "models/sm_cluster/sm_cluster.h"

#include <algorithm>

#include "models/sm_cluster/fast_hits.h"
#include "models/sm_cluster/sm_core_inline.h"
#include "models/tlm/packet_tail.h"
#include "models/tlm/payload_bytes.h"

namespace strata {

SmCluster::SmCluster(sc_core::sc_module_name module_name, const SmClusterParams& params,
                     const BuildContext& context)
    : Block(module_name, context.clock, params.sms + 1 + (params.dsmem == Dsmem::network ? params.sms : 0),
            context.place_as(Role::sm)),
      dispatch(*this, "dispatch", 0, *this),
      params_(params),
      cluster_(context.index),
      flush_unit_(params.sms),
      carries_data_(context.clock.carries_data()),
      fast_path_(context.fast_path),
      pool_(&context.clock.places(), context.late_attributes()),
      apps_(params.sms) {
  for (int s = 0; s < params.sms; ++s)
    flush_.push_back(std::make_unique<ControlOut<LineFlushIf>>(*this, "flush", s));
  sms_.reserve(static_cast<std::size_t>(params.sms));
  const auto decoder = std::make_shared<CtaDecoder>(params_);
  for (int s = 0; s < params.sms; ++s) {
    sms_.emplace_back(params_, apps_.of(0), decoder);
    sms_.back().port = std::make_unique<InitiatorPort>(*this, "l1", s);
    touches_first(s, &sms_.back());
    visited_by<SmCluster, &SmCluster::visit>(s);
    states_.push_back(&sms_.back());
    sms_.back().core.join(*this, s);
  }
}

// ---- SMs and their accesses ----

SmCluster::~SmCluster() = default;

const Access* SmCluster::held_of(int sm) const {
  const Txn* const blocked = sms_[static_cast<std::size_t>(sm)].blocked;
  return blocked == nullptr ? nullptr : &blocked->access();
}

void SmCluster::end_of_elaboration() {
  for (Sm& sm : sms_) {
    sm.places = SmPlaces(*sm.port);
    if (fast_path_) sm.fast_l1 = FastHits::l1_of(*sm.port);
  }
}

void SmCluster::release(const std::vector<ClusterWarp>& warps, Cycle now) {
  for (const ClusterWarp& warp : warps) {
    sms_[static_cast<std::size_t>(warp.sm)].core.go_on_after_cluster(warp.slot, now);
    book(now + 1, warp.sm);
  }
}

ClusterMeetingIf::Place SmCluster::find(const ResidentCta& mate, std::uint32_t rank) {
  for (std::size_t sm = 0; sm < sms_.size(); ++sm)
    if (ResidentCta* const cta = sms_[sm].core.find(mate, rank)) return {cta, static_cast<int>(sm)};
  return {};
}

// True while the SM only takes answers.
bool SmCluster::run_stalled(Sm& sm, int unit, Cycle now) {
  if (!update_stall(sm, now)) return false;
  SmApplication& app = *sm.app;
  sm.core.begin(now);
  if (sm.core.has_ended()) report(sm, unit, now);
  report_quiesced(app, now, [](const SmState& other) { return other.core.lines_in_flight() == 0; });
  const Cycle next = sm.core.next_timed(now);
  if (next != never) book_again(next, unit);
  return true;
}

void SmCluster::visit(Cycle now, int unit) {
  Sm& sm = sms_[static_cast<std::size_t>(unit)];
  if (now >= sm.app->attention && run_stalled(sm, unit, now)) return;
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

// Another visit instead of a branch in each: an SM without a watch costs nothing.
void SmCluster::watch_sms(SmWatchIf& watch) {
  watch_ = &watch;
  for (int sm = 0; sm < sms(); ++sm) visited_by<SmCluster, &SmCluster::watched_visit>(sm);
}

void SmCluster::watched_visit(Cycle now, int unit) {
  visit(now, unit);
  watch_->visited(states_[static_cast<std::size_t>(unit)]->core, cluster_ * sms() + unit, now);
}

// Tells the dispatcher what ended in this cycle; it acts on it in the next one.
void SmCluster::report(Sm& sm, int unit, Cycle now) {
  SmApplication& app = *sm.app;
  report_ended(sm, unit, now);
  if (sm.core.drained() && dispatcher_ != nullptr && is_drained(app.application))
    dispatcher_->drained(dispatcher_cluster_, app.application, clock().ledger_at(now));
}

// More lines in the cycle of one that has left. Each is a request of its own, and the L1 holds what its banks
// do not take.
[[gnu::noinline]] void SmCluster::send_more(Sm& sm, int unit, Cycle now) {
  bool free = true;
  for (int left = params_.lines_per_cycle - 1; left != 0 && free && sm.core.another_line(now); --left)
    free = send_line(sm, unit, now);
  if (sm.link_free <= now) sm.link_free = now + 1;
}

// The line whose turn it is. True when another may follow in this cycle: not behind one that takes the L1's
// port for a cycle.
bool SmCluster::send_line(Sm& sm, int unit, Cycle now) {
  if (sm.fast_l1 != nullptr && FastHits::send(sm, clock(), now)) return true;
  Txn& txn = make_line_access(pool_, sm.core, sm.core.lsu(), cluster_ * sms() + unit, cluster_, clock(), now,
                              sm.places, sm.app->stall);
  if (carries_data_) make_bytes(txn);
  const std::uint8_t warp = sm.core.op().warp;
  const std::uint8_t slot = sm.core.op().slot;
  const InstructionWord instruction = sm.core.op().instruction;
  const bool local = instruction.local() && instruction.op() != OpClass::store;
  if (sm.app->by_kernel) ++sm.app->accesses_of(txn.access().kernel).in_flight;
  sm.core.line_sent(now);
  const Accept accept = sm.port->send(txn);
  if (accept.is_done()) {
    sm.link_free = now + 1;
    retire_hit(sm, txn, accept.at);
    sm.app->stats.local_hits += local;
    sm.core.reply_at_once(accept.at, warp, slot);
    return true;
  }
  note_link(sm, txn, accept);
  return sm.blocked == nullptr && sm.link_free <= now;
}

// A line of the copy engine, when the link is free.
[[gnu::noinline]] void SmCluster::send_copy(Sm& sm, int unit, Cycle now) {
  if (sm.blocked != nullptr || sm.link_free > now || !sm.core.copy_waiting(now)) return;
  Txn& txn = make_line_access(pool_, sm.core, sm.core.copies().queue(), cluster_ * sms() + unit, cluster_,
                              clock(), now, sm.places, sm.app->stall);
  if (carries_data_) make_bytes(txn);
  const MemoryOp op = sm.core.copies().queue().head();
  if (sm.app->by_kernel) ++sm.app->accesses_of(txn.access().kernel).in_flight;
  sm.core.copy_sent(now);
  sm.copy_was_last = true;
  const Accept accept = sm.port->send(txn);
  if (accept.is_done()) {
    sm.link_free = now + 1;
    retire_hit(sm, txn, accept.at);
    sm.core.reply_at_once(accept.at, op.warp, op.slot);
    return;
  }
  note_link(sm, txn, accept);
}

void SmCluster::note_link(Sm& sm, Txn& txn, const Accept& accept) {
  if (accept.is_held()) {
    ++sm.app->stats.held_requests;
    sm.blocked = &txn;
  } else {
    sm.link_free = accept.at;
  }
}

void SmCluster::request_unblocked(int port, Cycle at) {
  Sm& sm = sms_[static_cast<std::size_t>(port)];
  sm.blocked = nullptr;
  sm.link_free = at;
  book(at, port);
}

void SmCluster::retire_hit(Sm& sm, Txn& txn, Cycle at) {
  Access& access = txn.access();
  const Cycle retired = clock().ledger_at(at);
  access.ledger.charge_until(sm.places.pipeline, retired);
  const SmPlaces& places = sm.places;
  if (!sm.app->totals.add_hit(access, retired, places.queue, places.port, places.pipeline))
    ledger_error(*sm.app, access);
  sm.app->stats.memory_latency += retired - access.birth;
  if (sm.app->by_kernel) note_reply(*sm.app, access.kernel, at);
  pool_.release(txn);
}

// What a payload with this status calls it.
[[gnu::noinline]] void SmCluster::report_error(tlm::tlm_response_status status) {
  tlm::tlm_generic_payload payload;
  payload.set_response_status(status);
  SC_REPORT_ERROR(name(), ("error response: " + payload.get_response_string()).c_str());
}

Accept SmCluster::response(Txn& txn, int port, Cycle at) {
  Sm& sm = sms_[static_cast<std::size_t>(port)];
  Access& access = txn.access();
  const Cycle head = at;
  if (sm.places.network)  // the last flit brings the data
    at = charge_tail(*sm.port, clock(), access, head, sm.places.reply_link, sm.places.reply_serial);
  const Cycle retired = clock().ledger_at(at);
  // Whoever keeps a ledger has charged it up to now.
  access.ledger.charge_until(sm.places.external, retired);
  if (!sm.app->totals.add(access, retired)) ledger_error(*sm.app, access);
  sm.app->stats.memory_latency += retired - access.birth;
  if (access.failed != 0) report_error(txn.get_response_status());
  sm.core.answer(at, static_cast<std::uint8_t>(access.warp), access.load_slot);
  if (sm.app->by_kernel) note_reply(*sm.app, access.kernel, at);
  pool_.release(txn);
  book(at + 1, port);
  return Accept::taken(head + 1);
}

// ---- the dispatcher, flushes, the end of a run ----

void SmCluster::connect(CtaDoneIf& dispatcher, int cluster) {
  dispatcher_ = &dispatcher;
  dispatcher_cluster_ = cluster;
}

void SmCluster::assign(const std::vector<int>& application_of_sm) {
  apps_.assign(application_of_sm);
  for (std::size_t s = 0; s < states_.size(); ++s) {
    states_[s]->app = &apps_.of(application_of_sm[s]);
    states_[s]->core.count_into(states_[s]->app->stats);
  }
}

int SmCluster::room(int sm, const KernelInfo& kernel) const {
  return states_[static_cast<std::size_t>(sm)]->core.occupancy().room(kernel);
}

int SmCluster::occupancy(const KernelInfo& kernel, std::string* limiter) const {
  return states_.front()->core.occupancy().most(kernel, limiter);
}

void SmCluster::launch(int unit, const KernelInfo& kernel, std::shared_ptr<const CtaTrace> cta) {
  SmState& sm = *states_[static_cast<std::size_t>(unit)];
  const Cycle now = std::max(sm.local, clock().now());
  sm.local = now;
  if (sm.kernel != &kernel) begin_kernel(unit, kernel);
  try {
    sm.core.launch(kernel, *cta, now);
  } catch (const ConfigError& error) {
    SC_REPORT_ERROR(name(), error.what());
  }
  book(now + 1, unit);
}

// The first CTA of a kernel here: what keeps lines in the same memory has to know of its shared memory.
// Beside CTAs of other kernels it may only get more.
void SmCluster::begin_kernel(int unit, const KernelInfo& kernel) {
  SmState& sm = *states_[static_cast<std::size_t>(unit)];
  const Occupancy& occupancy = sm.core.occupancy();
  const std::int64_t of_one = Occupancy::cost(kernel).shared_bytes;
  std::int64_t bytes = occupancy.most(kernel, nullptr) * of_one;
  if (occupancy.ctas() != 0) {
    bytes = std::max(bytes, occupancy.shared_bytes() + of_one);
    if (bytes <= sm.shared_bytes) return;
  }
  sm.kernel = &kernel;
  sm.shared_bytes = bytes;
  ControlOut<LineFlushIf>& holders = flush_of(unit);
  for (int h = 0; h < holders.ends(); ++h) holders.end(h).begin_kernel(static_cast<std::uint64_t>(bytes));
}

// What an SM has done ahead of time has not happened yet.
bool SmCluster::is_drained(int application) const {
  const Cycle now = clock().now();
  const SmApplication* app = &apps_.of(application);
  return std::all_of(states_.begin(), states_.end(), [=](const SmState* sm) {
    return sm->app != app || (sm->core.drained() && sm->local <= now);
  });
}

bool SmCluster::kernel_drained(int application, std::uint32_t kernel) const {
  const std::vector<KernelAccesses>& kernels = apps_.of(application).kernels;
  return kernel >= kernels.size() ||
         (kernels[kernel].in_flight == 0 && kernels[kernel].answered <= clock().now());
}

void SmCluster::note_reply(SmApplication& app, std::uint32_t kernel, Cycle at) {
  KernelAccesses& accesses = app.accesses_of(kernel);
  accesses.answered = std::max(accesses.answered, at + 1);
  if (--accesses.in_flight == 0 && dispatcher_ != nullptr)
    dispatcher_->drained(dispatcher_cluster_, app.application, clock().ledger_at(accesses.answered));
}

void SmCluster::stall(int application) {
  SmApplication& app = apps_.of(application);
  const Cycle from = clock().now() + 1;
  begin_stall(app, states_, from);
  for (int s = 0; s < sms(); ++s)
    if (const SmState& sm = *states_[static_cast<std::size_t>(s)]; sm.app == &app)
      book(std::max(from, sm.local + 1), s);
}

void SmCluster::resume(int application) {
  SmApplication& app = apps_.of(application);
  app.stall.until = clock().now() + 1;
  for (int s = 0; s < sms(); ++s)
    if (states_[static_cast<std::size_t>(s)]->app == &app) book(app.stall.until, s);
}

void SmCluster::report_ended(SmState& sm, int unit, Cycle now) {
  std::uint32_t kernel = 0;
  while (sm.core.take_finished(kernel))
    if (dispatcher_ != nullptr)
      dispatcher_->cta_done(dispatcher_cluster_, unit, kernel, clock().ledger_at(now));
}

void SmCluster::ledger_error(SmApplication& app, const Access& access) {
  ++app.stats.ledger_errors;
  SC_REPORT_ERROR(name(), ("the ledger of an access of SM " + std::to_string(access.sm) + " sums to " +
                           std::to_string(access.ledger.sum()) + " cycles, which is not its latency")
                              .c_str());
}

void SmCluster::settle(Cycle now) {
  for (SmState* const sm : states_) sm->core.settle(std::max(now, sm->local));
}

void SmCluster::flush(int application) {
  apps_.of(application).flush_from = clock().now() + 1;
  book(clock().now() + 1, flush_unit_);
}

void SmCluster::advance_flushes(Cycle now) {
  for (SmApplication& app : apps_) {
    if (app.flush_from <= now) begin_flush(app, now);
    if (app.flushed_from > now) continue;
    app.flushed_from = never;
    if (dispatcher_ != nullptr)
      dispatcher_->flush_done(dispatcher_cluster_, app.application, clock().ledger_at(now));
  }
}

void SmCluster::begin_flush(SmApplication& app, Cycle now) {
  app.flush_from = never;
  app.flushes_left = 1;  // until all have been asked
  for (int s = 0; s < sms(); ++s) {
    ControlOut<LineFlushIf>& holders = flush_of(s);
    for (int h = 0; apps_.application_of(s) == app.application && h < holders.ends(); ++h) {
      ++app.flushes_left;
      ++app.stats.flushes;
      if (states_[static_cast<std::size_t>(s)]->core.drained())
        holders.end(h).begin_flush(*this, app.application);
      else
        holders.end(h).begin_flush_of_some(*this, app.application);
    }
  }
  note_flushed(app, now);
}

void SmCluster::lines_flushed(int application) {
  SmApplication& app = apps_.of(application);
  ++app.stats.flush_replies;
  note_flushed(app, clock().now());
}

// A cycle to drop the lines, and one until the cluster sees it, as for any answer.
void SmCluster::note_flushed(SmApplication& app, Cycle now) {
  if (--app.flushes_left != 0) return;
  app.flushed_from = now + 2;
  book(app.flushed_from, flush_unit_);
}

Faults SmCluster::check_idle() const {
  Faults faults;
  const auto fault = [&](const std::string& message) { faults.push_back({{name(), 0, 0}, message}); };
  if (pool_.in_use() != 0) fault(std::to_string(pool_.in_use()) + " accesses were never answered");
  const SmClusterStats& all = counters();
  if (all.records_launched != all.records_issued)
    fault(std::to_string(all.records_launched - all.records_issued) + " trace records were never issued");
  if (const int left = apps_.flushes_left(); left != 0)
    fault(std::to_string(left) + " flushes were never answered");
  for (int s = 0; s < sms(); ++s) {
    const SmCore& core = states_[static_cast<std::size_t>(s)]->core;
    const std::string sm = "SM " + std::to_string(s) + ": ";
    if (core.occupancy().ctas() != 0)
      fault(sm + std::to_string(core.occupancy().ctas()) + " CTAs still resident");
    if (core.lines_in_flight() != 0)
      fault(sm + std::to_string(core.lines_in_flight()) + " line accesses in flight");
    if (!core.lsu().empty()) fault(sm + "load/store queue not empty");
  }
  return faults;
}

std::vector<WaitNote> SmCluster::waits() const {
  std::vector<WaitNote> notes;
  for (int s = 0; s < sms(); ++s) {
    const SmCore& core = states_[static_cast<std::size_t>(s)]->core;
    const Access* const held = held_of(s);
    const std::string who = "SM " + std::to_string(s);
    if (!core.lsu().empty() || held != nullptr)
      notes.push_back({who + ": load/store queue" + (held != nullptr ? ", request held back" : ""), l1_of(s),
                       core.lsu().size(), params_.lsu_depth, held});
    if (core.drained()) continue;
    const WaitingWarps waiting = core.waiting();
    notes.push_back({who + ": " + std::to_string(core.lines_in_flight()) + " line accesses in flight; " +
                         std::to_string(waiting.memory) + " warps wait for loads, " +
                         std::to_string(waiting.lsu) + " for the load/store queue, " +
                         std::to_string(waiting.barrier) + " at barriers" +
                         (waiting.barrier != 0 ? ": " + core.waiting_at_barriers() : ""),
                     core.lines_in_flight() != 0 ? l1_of(s) : std::string(), core.occupancy().warps(),
                     params_.warps, nullptr});
  }
  return notes;
}

}  // namespace strata
