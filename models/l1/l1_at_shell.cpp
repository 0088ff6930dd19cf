#include "models/l1/l1_at_shell.h"

#include <algorithm>
#include <utility>

namespace strata {
namespace {

std::uint64_t request_bytes(const L1Params& params, const BuildContext& context) {
  const std::uint64_t line = context.map.line_bytes();
  return params.request_bytes == 0 ? line : std::min<std::uint64_t>(line, params.request_bytes);
}

}  // namespace

L1AtShell::L1AtShell(sc_core::sc_module_name module_name, L1Organization& organization, Bytes line,
                     const BuildContext& context)
    : Block(module_name, context.clock, 2, context.place_as(Role::l1)),
      L1Front(organization, line, L1Places(*this)),
      data_(L1Data::make(context.clock.carries_data(), name(), organization, line.count, noc)),
      banks_(organization.params(), line),
      behind_banks_(organization.params(), line),
      organization_(organization),
      pool_(&context.clock.places()) {
  const std::uint64_t most = request_bytes(organization.params(), context);
  request_chunks_ = static_cast<std::uint8_t>(most / chunk_bytes);
  const bool splits = line > most;
  if (splits) accounts_.split_accesses();
  if (splits || organization.params().bank_mshrs != 0)
    parts_.resize(static_cast<std::size_t>(organization.fetches()));
  splits_ = !parts_.empty();
  touches_first(send_unit, &accounts_);
  touches_first(reply_unit, &fills_);
  visited_by<L1AtShell, &L1AtShell::visit>(send_unit);
  visited_by<L1AtShell, &L1AtShell::reply>(reply_unit);
}

void L1AtShell::end_of_elaboration() {
  hits_wait_ = sm.answers_network();
  places_.find_link(noc);
}

bool L1AtShell::holds(Address line, std::uint8_t chunks) const {
  return organization_.contains(line, chunks);
}

void L1AtShell::advance(Cycle now, int unit) {
  unit == reply_unit ? reply(now) : visit(now);
}

// A request for each part that an access, or what it fetches, touches. Returns how many.
int L1AtShell::queue_parts(Access& access, std::uint8_t chunks, PartMask named, int route, Cycle ready) {
  int parts = 0;
  Address line = access.line;
  const auto request_parts = static_cast<unsigned>(request_chunks_) * (chunk_bytes / part_bytes);
  for (unsigned rest = chunks; rest != 0; rest >>= request_chunks_) {
    const auto here = static_cast<std::uint8_t>(rest & ((1U << request_chunks_) - 1));
    if (here != 0) {
      Txn& txn = pool_.make(access.access_class, line, here, access.ledger.mark());
      copy_identity(access, txn.access());
      txn.cause() = &access;
      if (data_ != nullptr && carries_request_data(access.access_class)) copy_bytes(Txn::of(access), txn);
      if (access.access_class == AccessClass::atomic)
        txn.access().lanes =
            access.lanes.part(static_cast<unsigned>((line - access.line) / chunk_bytes), request_chunks_);
      if (named != 0) txn.access().ask_parts(named & ((1U << request_parts) - 1));
      txn.access().push_route(route);
      if (data_ != nullptr && route == written_back) data_->is_under_way(txn);
      queue_request(txn.access(), ready);
      ++parts;
    }
    named = static_cast<PartMask>(named >> request_parts);
    line += static_cast<unsigned>(request_chunks_) * chunk_bytes;
  }
  accounts_.count_parts(parts);
  return parts;
}

bool L1AtShell::is_last_part(Txn& reply, int fetch) {
  behind_banks_.answered();
  Parts& parts = parts_[static_cast<std::size_t>(fetch)];
  if (reply.access().failed != 0) parts.status = reply.get_response_status();
  if (data_ != nullptr) data_->came(reply);
  if (parts.to_come > 1) {
    --parts.to_come;
    return false;
  }
  if (parts.status != tlm::TLM_OK_RESPONSE) reply.set_response_status(parts.status);
  parts = {};
  return true;
}

Access* L1AtShell::end_part(Txn& reply) {
  Access& access = *reply.cause();
  if (data_ != nullptr) {
    copy_bytes(reply, Txn::of(access));
    end_enables(reply);
  }
  if (reply.access().failed != 0) Txn::of(access).set_response_status(reply.get_response_status());
  if (--access.tag != 0) return nullptr;
  access.ledger.absorb(reply.access().ledger);
  return &access;
}

void L1AtShell::queue_behind_bank(Access& access) {
  behind_banks_.push(access);
  book(access.ready, send_unit);
}

[[gnu::always_inline]] inline void L1AtShell::send(Cycle now) {
  if (bank_queues_)
    if (const Cycle next = behind_banks_.feed(requests_, now); next != never && !noc.blocked())
      book(next, send_unit);
  if (requests_.empty() || noc.blocked()) return;
  const Cycle due = std::max(requests_.front().ready, noc_free_);
  if (due > now) return book(due, send_unit);
  Access& access = requests_.pop();
  access.ledger.charge_split_until(places_.pipeline, miss_latency_, places_.miss_queue,
                                   clock().ledger_at(now));
  ++accounts_.room_left;
  access.flits = 1;
  Txn& txn = Txn::of(access);
  const Accept accept = noc.send_now(txn, now);
  if (accept.is_done()) {
    noc_free_ = now + 1;
    access.ledger.charge_until(places_.foreign, clock().ledger_at(accept.at));
    response(txn, 0, std::max(accept.at, now + 1));
  } else if (accept.is_taken()) {
    noc_free_ = std::max(accept.at, now + 1);
  }
  if (waiting_ != 0 || (!requests_.empty() && !noc.blocked()))
    book(std::max(now + 1, noc.blocked() ? 0 : noc_free_), send_unit);
}

void L1AtShell::visit(Cycle now) {
  if (waiting_ != 0) retry(now);
  send(now);
}

void L1AtShell::request_unblocked(int, Cycle at) {
  noc_free_ = at;
  if (!requests_.empty() || behind_banks_.waiting() != 0)
    book(requests_.empty() ? at : std::max(requests_.front().ready, at), send_unit);
}

void L1AtShell::queue_hit(Access& access, Cycle now) {
  access.ready = now + latency_;
  late_hits_.push(access);
  if (hits_wait_ && static_cast<Cycle>(late_hits_.size()) >= latency_) port_free_ = never;
  book(access.ready, reply_unit);
}

bool L1AtShell::wait_for_port() {
  if (port_free_ != never) book(port_free_, send_unit);
  return true;
}

bool L1AtShell::wait_for_banks(const Access& access, Cycle now) {
  const Cycle free = banks_.free(access.line, access.chunks);
  if (free > now) book(free, send_unit);
  return free > now || behind_banks_.full(access.line, access.chunks);
}

void L1AtShell::reply(Cycle now) {
  if (sm.response_blocked()) return;
  const Cycle filled = fills_.due(), hit = late_hits_.due();
  const Cycle ready = std::min(filled, hit);
  if (ready == never) return;
  if (std::max(ready, reply_free_) > now) return book_again(std::max(ready, reply_free_), reply_unit);
  const bool late = hit < filled;
  Access& access = late ? late_hits_.pop() : fills_.pop();
  if (late && port_free_ == never) {
    port_free_ = now + 1;
    if (waiting_ != 0) book(port_free_, send_unit);
  }
  access.ledger.charge_until(late ? places_.pipeline : places_.fill, clock().ledger_at(now));
  ++accounts_.stats.replies;
  access.flits = 1;
  const Accept accept = sm.respond_now(Txn::of(access), now);
  if (accept.is_held()) return;
  reply_free_ = std::max(accept.at, now + 1);
  const Cycle next = std::min(fills_.due(), late_hits_.due());
  if (next != never) book_again(std::max(next, reply_free_), reply_unit);
}

void L1AtShell::response_unblocked(int, Cycle at) {
  reply_free_ = at;
  book(at, reply_unit);
}

void L1AtShell::begin_flush(LineFlushDoneIf& done, int id) {
  ++accounts_.stats.flushes;
  ++accounts_.stats.replies;
  organization_.flush();
  if (accounts_.watch != nullptr) accounts_.watch->flushed();
  if (data_ != nullptr && accounts_.stats.writes_back) data_->flushed();
  if (write_backs_ != 0) return flushes_.push_back({&done, id});
  done.lines_flushed(id);
}

void L1AtShell::begin_flush_of_some(LineFlushDoneIf& done, int id) {
  organization_.write_back_all();
  send_write_backs(clock().ledger_now(), clock().now());
  begin_flush(done, id);
}

void L1AtShell::begin_kernel(std::uint64_t shared_bytes) {
  organization_.share(shared_bytes);
  send_write_backs(clock().ledger_now(), clock().now());
}

void L1AtShell::send_write_backs(Cycle ledger, Cycle now) {
  for (L1WriteBack out; organization_.take_write_back(out);) {
    Txn& txn = pool_.make(AccessClass::store, out.line, out.chunks, ledger);
    Access& access = txn.access();
    access.sm = out.writer.sm;
    access.cluster = out.writer.cluster;
    access.warp = out.writer.warp;
    access.application = out.writer.application;
    access.cta = out.writer.cta;
    access.kernel = out.writer.kernel;
    access.pc = out.writer.pc;
    access.non_coherent = access.bypass_l1 = false;
    accounts_.count_write_back();
    if (data_ != nullptr) data_->leaves(txn);
    if (!splits_ || !is_large(out.chunks)) {
      ++write_backs_;
      access.push_route(written_back);
      if (data_ != nullptr) data_->is_under_way(txn);
      queue_request(access, now + miss_latency_);
      continue;
    }
    write_backs_ += queue_parts(access, out.chunks, 0, written_back, now + miss_latency_);
    if (data_ != nullptr) end_enables(txn);
    txn.release();
  }
}

void L1AtShell::write_back_answered(Txn& reply) {
  if (reply.access().failed != 0)
    SC_REPORT_ERROR(name(), ("error response: " + reply.get_response_string()).c_str());
  if (data_ != nullptr) data_->was_written(reply);
  reply.release();
  if (--write_backs_ != 0) return;
  for (const Flush& waiting : std::exchange(flushes_, {})) waiting.done->lines_flushed(waiting.id);
}

unsigned L1AtShell::debug(tlm::tlm_generic_payload& payload, int) {
  if (data_ != nullptr && payload.is_write()) data_->poked(payload);
  const unsigned moved = noc.debug(payload);
  if (data_ != nullptr && accounts_.stats.writes_back && payload.is_read()) data_->peeked(payload);
  return moved;
}

Faults L1AtShell::check_idle() const {
  Faults faults;
  const auto blame = [&](std::string message) { faults.push_back({{name(), 0, 0}, std::move(message)}); };
  if (const int left = organization_.fetching(); left != 0)
    blame(std::to_string(left) + " lines are still being fetched");
  if (const int left = requests_.size() + behind_banks_.waiting(); left != 0)
    blame(std::to_string(left) + " requests wait in the miss queue");
  if (write_backs_ != 0) blame(std::to_string(write_backs_) + " write-backs were never answered");
  if (passing_count_ != 0) blame(std::to_string(passing_count_) + " forwarded accesses were never answered");
  if (!fills_.empty() || !late_hits_.empty()) blame("replies to the SM wait");
  if (sm.holding()) blame("an access is held back");
  if (queued() != 0) blame(std::to_string(queued()) + " accesses wait for the cache");
  if (pool_.in_use() != 0) blame(std::to_string(pool_.in_use()) + " transactions were never released");
  return faults;
}

std::vector<WaitNote> L1AtShell::waits() const {
  std::vector<WaitNote> notes;
  if (sm.holding()) notes.push_back({"access held back", name(), 1, 1, &sm.held()->access()});
  if (queued() != 0) notes.push_back({"queues in front of the cache", name(), queued(), 0, nullptr});
  if (!requests_.empty())
    notes.push_back(
        {"miss queue", noc.peer(), requests_.size(), organization_.params().miss_queue, &requests_.front()});
  if (organization_.fetching() != 0)
    notes.push_back(
        {"MSHRs", noc.peer(), organization_.fetching(), organization_.fetches(), organization_.oldest()});
  if (sm.response_blocked())
    notes.push_back({"replies to the SM", "", fills_.size() + late_hits_.size(), 0, nullptr});
  return notes;
}

}  // namespace strata
