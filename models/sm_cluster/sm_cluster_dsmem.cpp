#include "models/sm_cluster/sm_cluster_dsmem.h"

#include <algorithm>
#include <string>
#include <utility>

#include "models/common/dsmem_window.h"
#include "models/sm_cluster/sm_core_inline.h"
#include "models/tlm/packet_tail.h"
#include "models/tlm/payload_bytes.h"

namespace strata {
SmClusterDsmem::SmClusterDsmem(sc_core::sc_module_name module_name, const SmClusterParams& params,
                               const BuildContext& context)
    : SmCluster(module_name, params, context),
      depth_(static_cast<std::size_t>(params.dsmem_depth)),
      shared_latency_(static_cast<Cycle>(params.shared_latency)),
      ends_(static_cast<std::size_t>(params.sms)),
      port_(place_for(Cause::port)),
      pipeline_(place_for(Cause::pipeline)) {
  for (int s = 0; s < params.sms; ++s) {
    end_of(s).out = std::make_unique<InitiatorPort>(*this, "dsmem_out", s, params.sms + s);
    end_of(s).in = std::make_unique<TargetPort>(*this, "dsmem_in", s);
    sm_of(s).core.reach_others_by(*this);
  }
}

void SmClusterDsmem::end_of_elaboration() {
  SmCluster::end_of_elaboration();
  for (End& end : ends_) {
    end.places = SmPlaces(*end.out);
    end.request_link = end.in->place_of_link(Cause::request_link);
    end.request_serial = end.in->place_of_link(Cause::request_serial);
    end.reply_port = place_for(Cause::reply_port);
  }
}

bool SmClusterDsmem::has_room(int sm) const {
  return ends_[static_cast<std::size_t>(sm)].queue.size() < depth_;
}

void SmClusterDsmem::push(int sm, const DsmemPacket& packet, Cycle now) {
  end_of(sm).queue.push_back(packet);
  SmApplication& app = *sm_of(sm).app;
  if (app.by_kernel) ++app.accesses_of(packet.kernel).in_flight;
  book(now + 1, unit_of(sm));
}

// One packet a cycle at most, as the link takes them.
void SmClusterDsmem::send(End& end, int sm, Cycle now) {
  if (end.queue.empty() || end.blocked != nullptr || end.link_free > now || end.queue.front().entered >= now)
    return;
  const bool was_full = end.queue.size() >= depth_;
  std::uint32_t number = static_cast<std::uint32_t>(packets_.size());
  if (free_packets_.empty()) {
    packets_.push_back(std::move(end.queue.front()));
  } else {
    number = free_packets_.back();
    free_packets_.pop_back();
    packets_[number] = std::move(end.queue.front());
  }
  end.queue.pop_front();
  const DsmemPacket& packet = packets_[number];
  SmApplication& app = *sm_of(sm).app;
  Txn& txn = pool_.make(packet.access_class, static_cast<Address>(packet.target) << dsmem_window_bits,
                        packet.sectors, clock().ledger_at(packet.entered));
  Access& access = txn.access();
  access.spare_words = packet.spare_words;
  access.non_coherent = access.bypass_l1 = access.local = false;
  access.sm = static_cast<std::uint16_t>(cluster_ * sms() + sm);
  access.cluster = static_cast<std::uint16_t>(cluster_);
  access.warp = packet.warp;
  access.application = packet.application;
  access.load_slot = packet.slot;
  access.cta = packet.cta;
  access.kernel = packet.kernel;
  access.pc = number;
  if (carries_data_) make_bytes(txn);
  const Cycle turn = std::max(end.turn, packet.entered + 1);
  access.ledger.charge(end.places.queue, clock().ledger_at(turn));
  access.ledger.charge_until(end.places.port, clock().ledger_at(now));
  end.turn = now + 1;
  ++app.stats.dsmem_requests;
  ++app.stats.dsmem_in_flight;
  sm_of(sm).core.packet_sent(packet, now);
  if (was_full && end.queue.size() < depth_) sm_of(sm).core.room_in_network(now);
  book(now + 1, sm);
  const Accept accept = end.out->send(txn);
  if (accept.is_done()) {  // by an external module
    end.link_free = now + 1;
    response(txn, sms() + sm, accept.at);
  } else if (accept.is_held()) {
    end.blocked = &txn;
  } else {
    end.link_free = accept.at;
  }
}

void SmClusterDsmem::request_unblocked(int port, Cycle at) {
  if (port < sms()) return SmCluster::request_unblocked(port, at);
  End& end = end_of(port - sms());
  end.blocked = nullptr;
  end.link_free = at;
  book(at, unit_of(port - sms()));
}

Accept SmClusterDsmem::response(Txn& txn, int port, Cycle at) {
  if (port < sms()) return SmCluster::response(txn, port, at);
  const int sm = port - sms();
  End& end = end_of(sm);
  SmApplication& app = *sm_of(sm).app;
  Access& access = txn.access();
  const Cycle head = at;
  if (end.places.network)
    at = charge_tail(*end.out, clock(), access, head, end.places.reply_link, end.places.reply_serial);
  const Cycle retired = clock().ledger_at(at);
  access.ledger.charge_until(end.places.external, retired);
  if (!app.totals.add(access, retired)) ledger_error(app, access);
  app.stats.dsmem_latency += retired - access.birth;
  ++app.stats.dsmem_replies;
  --app.stats.dsmem_in_flight;
  if (access.failed != 0) report_error(txn.get_response_status());
  if (app.by_kernel) note_reply(app, access.kernel, at);
  end.answered.emplace(at, access.pc);
  pool_.release(txn);
  const Cycle now = clock().now();
  if (at <= now)
    take_replies(end, sm, now);
  else
    book(at, unit_of(sm));
  return Accept::taken(head + 1);
}

void SmClusterDsmem::take_replies(End& end, int sm, Cycle now) {
  while (!end.answered.empty() && end.answered.begin()->first <= now) {
    const std::uint32_t number = end.answered.begin()->second;
    end.answered.erase(end.answered.begin());
    sm_of(sm).core.packet_answered(packets_[number], now);
    packets_[number].report = {};
    free_packets_.push_back(number);
    book(now + 1, sm);
  }
}

// A request of another SM. With `dsmem_depth` of them waiting it is held.
Accept SmClusterDsmem::request(Txn& txn, int sm, Cycle at) {
  End& end = end_of(sm);
  Access& access = txn.access();
  if (access.line >> dsmem_window_bits != static_cast<Address>(sm) || access.cluster != cluster_) {
    SC_REPORT_ERROR(name(),
                    ("a request for shared memory of SM " + std::to_string(access.line >> dsmem_window_bits) +
                     " of a cluster came to dsmem_in[" + std::to_string(sm) +
                     "]; allowed: router stages with route: sm between the dsmem_out and the dsmem_in "
                     "of one sm_cluster")
                        .c_str());
    return Accept::taken(at + 1);
  }
  SmApplication& app = *sm_of(sm).app;
  ++app.stats.dsmem_taken;
  ++app.stats.dsmem_waiting;
  access.ready = charge_tail(*end.in, clock(), access, at, end.request_link, end.request_serial) + 1;
  if (static_cast<std::size_t>(end.waiting.size()) >= depth_) {
    end.held = &txn;
    return Accept::held();
  }
  enter(end, txn, access.ready);
  book(access.ready, unit_of(sm));
  return Accept::taken(at + 1);
}

void SmClusterDsmem::enter(End& end, Txn& txn, Cycle from) {
  Access& access = txn.access();
  access.ready = std::max(access.ready, from);
  end.waiting.push(access);
}

int SmClusterDsmem::replies_due(const End& end, Cycle now) const {
  return static_cast<int>(std::count_if(end.replies.begin(), end.replies.end(),
                                        [now](const Reply& reply) { return reply.due <= now; }));
}

// Shared memory takes requests of others and instructions of its own SM in turn: when it becomes free and the
// last turn was the SM's, the next one is the first request's; else the first to come has it, the SM's own
// in the same cycle.
bool SmClusterDsmem::serve_first(End& end, int sm, Cycle now) {
  if (end.waiting.empty() || end.waiting.front().ready > now ||
      static_cast<std::size_t>(replies_due(end, now)) >= depth_)
    return false;
  SmCore& core = sm_of(sm).core;
  const Cycle free = core.shared_free();
  if (free > now && free == end.others_until) return false;
  const Cycle start = std::max(free, now);
  Access& access = end.waiting.pop();
  DsmemPacket& packet = packets_[access.pc];
  const Cycle until = start + packet.cycles;
  core.take_shared(until);
  end.others_until = until;
  sm_of(sm).app->stats.dsmem_shared_cycles += packet.cycles;
  const Cycle due = until - 1 + shared_latency_;
  access.ledger.charge_until(port_, clock().ledger_at(start));
  access.ledger.charge_until(pipeline_, clock().ledger_at(due));
  if (packet.report.cta != nullptr) end.reports.emplace(until - 1, std::move(packet.report));
  end.replies.push_back({&Txn::of(access), due});
  if (end.held != nullptr) {
    enter(end, *std::exchange(end.held, nullptr), now + 1);
    end.in->accept(now + 1);
  }
  return true;
}

void SmClusterDsmem::serve(End& end, int sm, Cycle now) {
  while (serve_first(end, sm, now)) continue;
}

// What is reported to barriers of its CTAs.
void SmClusterDsmem::carry_out(End& end, Cycle now) {
  while (!end.reports.empty() && end.reports.begin()->first <= now) {
    const DsmemReport report = std::move(end.reports.begin()->second);
    end.reports.erase(end.reports.begin());
    ResidentCta& cta = *report.cta;
    if (cta.live == 0 || cta.kernel != report.kernel || cta.cluster != report.cluster ||
        cta.rank != report.rank)
      continue;  // it has ended
    const int sm = static_cast<int>(&end - ends_.data());
    for (CtaBarriers::Warps freed = report.does(cta.barriers); freed != 0; freed &= freed - 1)
      sm_of(sm).core.go_on_after_cluster(__builtin_ctzll(freed), now);
    book(now + 1, sm);
  }
}

void SmClusterDsmem::reply(End& end, int sm, Cycle now) {
  if (end.replies.empty() || end.replies.front().due > now || end.reply_free > now ||
      end.in->response_blocked())
    return;
  Txn& txn = *end.replies.front().txn;
  end.replies.pop_front();
  txn.access().ledger.charge_until(end.reply_port, clock().ledger_at(now));
  SmApplication& app = *sm_of(sm).app;
  ++app.stats.dsmem_served;
  --app.stats.dsmem_waiting;
  const Accept accept = end.in->respond(txn);
  if (!accept.is_held()) end.reply_free = accept.at;
}

void SmClusterDsmem::response_unblocked(int sm, Cycle at) {
  end_of(sm).reply_free = at;
  book(at, unit_of(sm));
}

Cycle SmClusterDsmem::next_turn(const End& end, int sm, Cycle now) const {
  Cycle next = never;
  const auto at = [&](Cycle cycle) { next = std::min(next, std::max(cycle, now + 1)); };
  if (!end.queue.empty() && end.blocked == nullptr)
    at(std::max(end.link_free, end.queue.front().entered + 1));
  if (!end.answered.empty()) at(end.answered.begin()->first);
  if (!end.reports.empty()) at(end.reports.begin()->first);
  if (!end.replies.empty() && !end.in->response_blocked())
    at(std::max(end.replies.front().due, end.reply_free));
  if (!end.waiting.empty() && static_cast<std::size_t>(replies_due(end, now)) < depth_)
    at(std::max(end.waiting.front().ready, sms_[static_cast<std::size_t>(sm)].core.shared_free()));
  return next;
}

void SmClusterDsmem::advance(Cycle now, int unit) {
  if (unit <= flush_unit_) return SmCluster::advance(now, unit);
  const int sm = unit - flush_unit_ - 1;
  End& end = end_of(sm);
  take_replies(end, sm, now);
  reply(end, sm, now);
  serve(end, sm, now);
  carry_out(end, now);
  send(end, sm, now);
  if (const Cycle next = next_turn(end, sm, now); next != never) book_again(next, unit);
}

Faults SmClusterDsmem::check_idle() const {
  Faults faults = SmCluster::check_idle();
  for (std::size_t s = 0; s < ends_.size(); ++s) {
    const End& end = ends_[s];
    const std::size_t left = end.queue.size() + static_cast<std::size_t>(end.waiting.size()) +
                             end.replies.size() + end.reports.size() + end.answered.size();
    if (left != 0)
      faults.push_back({{name(), 0, 0},
                        "SM " + std::to_string(s) + ": " + std::to_string(left) +
                            " packets to and from other SMs' shared memory are left"});
  }
  return faults;
}

std::vector<WaitNote> SmClusterDsmem::waits() const {
  std::vector<WaitNote> notes = SmCluster::waits();
  for (std::size_t s = 0; s < ends_.size(); ++s) {
    const End& end = ends_[s];
    const std::string sm = "SM " + std::to_string(s) + ": ";
    const int depth = static_cast<int>(depth_);
    if (!end.queue.empty() || end.blocked != nullptr)
      notes.push_back({sm + "requests to other SMs' shared memory", end.out->peer(),
                       static_cast<int>(end.queue.size()), depth,
                       end.blocked == nullptr ? nullptr : &end.blocked->access()});
    if (!end.replies.empty() || !end.waiting.empty())
      notes.push_back({sm + "other SMs' requests to its shared memory", "",
                       end.waiting.size() + static_cast<int>(end.replies.size()), depth,
                       end.waiting.empty() ? nullptr : &end.waiting.front()});
  }
  return notes;
}

std::unique_ptr<SmCluster> make_sm_cluster(sc_core::sc_module_name name, const SmClusterParams& params,
                                           const BuildContext& context) {
  if (params.dsmem == Dsmem::network) return std::make_unique<SmClusterDsmem>(name, params, context);
  return std::make_unique<SmCluster>(name, params, context);
}

}  // namespace strata
