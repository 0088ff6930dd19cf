#include "models/llc_slice/llc_slice_rtl.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "models/tlm/packet_tail.h"

namespace strata {
namespace {

constexpr std::size_t most_fills = 4;
constexpr LlcStall stalls[] = {LlcStall::none, LlcStall::mshr_full, LlcStall::merge_limit,
                               LlcStall::write_queue, LlcStall::reply_queue};

enum Decision : std::uint8_t { none, hit, miss, merge, allocation };

std::uint8_t operation(AccessClass access_class) {
  return access_class == AccessClass::atomic ? 2 : access_class == AccessClass::store ? 1 : 0;
}

}  // namespace

LlcSliceRtl::LlcSliceRtl(sc_core::sc_module_name module_name, const LlcSliceParams& params,
                         const BuildContext& context, std::unique_ptr<RtlSlice> rtl)
    : Block(module_name, context.clock, 1, context.place_as(Role::llc)),
      params_(params),
      index_(params.sets(), params.set_index, context.map),
      rtl_(std::move(rtl)),
      shape_(rtl_->shape()),
      places_(*this),
      pool_(&context.clock.places()),
      latency_ledger_(context.clock.ledger_at(static_cast<Cycle>(params.latency)) -
                      context.clock.ledger_at(0)),
      carried_(context.clock.carries_data()),
      slots_(static_cast<std::size_t>(shape_.ids)) {
  check_use(context.check_model);
  if (context.check_model) {
    check_ = std::make_unique<RtlSliceCheck>(params, context.map, shape_.ids);
    replay_ = std::make_unique<RtlSliceReplay>();
  }
  for (std::size_t id = slots_.size(); id-- > 0;) free_.push_back(static_cast<std::uint16_t>(id));
  reset_stats();
  rtl_->reset();
}

void LlcSliceRtl::end_of_elaboration() {
  places_.find_links(noc, mem);
  if (tracker.bound()) SC_REPORT_ERROR(name(), "RTL cannot be watched by a contention_tracker");
}

bool LlcSliceRtl::is_full() const {
  const bool full = shape_.event_port ? undecided_ >= shape_.latency + shape_.request_queue
                                      : static_cast<std::size_t>(entering_.size()) >= most_entering;
  return full || free_.empty() || flushing();
}

Accept LlcSliceRtl::request(Txn& txn, int, Cycle at) {
  if (is_full()) {
    txn.access().ready = at;
    ++stats_.held_requests;
    return Accept::held();
  }
  enter(txn, at);
  return Accept::taken(at + 1);
}

// Its wires are driven in the cycle after that in which its last flit is here.
void LlcSliceRtl::enter(Txn& txn, Cycle at) {
  Access& access = txn.access();
  const Cycle whole = charge_tail(noc, clock(), access, at, places_.request_link, places_.request_serial);
  entered_ = std::max(whole, entered_ + 1);
  access.ready = entered_ + 1;
  access.tag = free_.back();
  free_.pop_back();
  slots_[access.tag] = {&access, Stage::entered};
  ++undecided_;
  entering_.push(access);
  book(entering_.front().ready);
}

void LlcSliceRtl::release_request(Cycle now) {
  if (!noc.holding() || is_full()) return;
  const Cycle at = std::max(now, noc.held()->access().ready);
  enter(*noc.held(), at);
  noc.accept(at + 1);
}

Accept LlcSliceRtl::response(Txn& txn, int, Cycle at) {
  Access& access = txn.access();
  const Cycle seen = std::max(at, clock().running() ? clock().now() + 1 : clock().now());
  if (access.route[access.depth - 1] == write_route) {
    ++stats_.memory_write_acks;
    --writes_out_;
    if (carried_) acknowledged(txn);
    if (access.failed != 0) SC_REPORT_ERROR(name(), ("write failed: " + txn.get_response_string()).c_str());
    pool_.release(txn);
    if (flushing()) book(seen);
    return Accept::taken(at + 1);
  }
  access.ready = seen;
  if (fills_.size() >= most_fills) {
    ++stats_.held_fills;
    return Accept::held();
  }
  fills_.push_back(&access);
  book(seen);
  return Accept::taken(at + 1);
}

void LlcSliceRtl::request_unblocked(int, Cycle at) {
  memory_free_ = at;
  book(at);
}

void LlcSliceRtl::response_unblocked(int, Cycle at) {
  reply_free_ = at;
  book(at);
}

void LlcSliceRtl::advance(Cycle now, int) {
  drive(now);
  if (replay_ != nullptr) replay_->record(in_, now);
  RtlSliceOut out;
  rtl_->low(in_, out);
  rtl_->high();
  if (carried_) rtl_->passed(reply_bytes_, write_bytes_);
  observe(out, now);
  book_next(out, now);
}

void LlcSliceRtl::drive(Cycle now) {
  in_.req_valid = !entering_.empty() && entering_.front().ready <= now;
  if (in_.req_valid) {
    Access& access = entering_.front();
    const unsigned all = (1U << (params_.line / sector_bytes)) - 1;
    in_.req_line = access.line / params_.line;
    in_.req_set = static_cast<std::uint16_t>(index_(access.line));
    in_.req_whole = (access.sectors & all) == all && (!carried_ || is_whole(Txn::of(access)));
    if (carried_) {
      give_bytes(Txn::of(access), request_bytes_);
      in_.req_bytes = &request_bytes_;
    }
    in_.req_op = operation(access.access_class);
    in_.req_application = static_cast<std::uint8_t>(application_place(access.application));
    in_.req_id = access.tag;
  }
  in_.rsp_ready = !noc.response_blocked() && reply_free_ <= now;
  in_.mreq_ready = !mem.blocked() && memory_free_ <= now;
  in_.mrsp_valid = !fills_.empty() && fills_.front()->ready <= now;
  if (in_.mrsp_valid) in_.mrsp_id = fills_.front()->route[fills_.front()->depth - 1];
  if (in_.mrsp_valid && carried_) {
    give_bytes(Txn::of(*fills_.front()), fill_bytes_);
    in_.mrsp_bytes = &fill_bytes_;
  }
  in_.flush_valid = flushing() && !dropped_ && flush_began_;
  in_.flush_drop = flush_what_ == LlcFlush::all;
}

void LlcSliceRtl::observe(const RtlSliceOut& out, Cycle now) {
  const bool fill = in_.mrsp_valid && out.mrsp_ready;
  if (fill && shape_.fill_first) filled(out, now);
  if (!shape_.event_port) {
    if (out.mreq_valid || out.flush_done) busy_until_ = now + settling;
  } else if (out.ev != none) {
    decided(out, now);
  } else if (out.ev_stall != 0) {
    stalled(out, now);
  }
  if (fill && !shape_.fill_first) filled(out, now);
  if (in_.mreq_ready && out.mreq_valid) sent(out, now);
  if (in_.rsp_ready && out.rsp_valid) replied(out, now);
  if (in_.req_valid && out.req_ready) entering_.pop();
  if (flushing()) step_flush(out, now);
  release_request(now);
}

// The request that a wire names, which must be where the wire says it is.
LlcSliceRtl::Slot& LlcSliceRtl::slot(unsigned id, Stage wanted, const char* what) {
  if (id >= slots_.size() || slots_[id].stage != wanted)
    SC_REPORT_ERROR(name(), ("the RTL " + std::string(what) + " request " + std::to_string(id) +
                             ", which is not there: requests are known by the number that they came with")
                                .c_str());
  return slots_[id];
}

void LlcSliceRtl::differ(const std::string& what, Cycle now, Address line) {
  if (what.empty()) return;
  if (check_ != nullptr && differed_ == never) differed_ = now;
  char where[80];
  std::snprintf(where, sizeof where,
                "cycle %llu, line 0x%llx: ", static_cast<unsigned long long>(clock().ledger_at(now)),
                static_cast<unsigned long long>(line));
  SC_REPORT_ERROR(name(), ("the RTL differs from the model in " + (where + what)).c_str());
}

void LlcSliceRtl::stalled(const RtlSliceOut& out, Cycle now) {
  Access& access = *slot(out.ev_id, Stage::entered, "stalls").access;
  const Cycle ledger = clock().ledger_at(now);
  if (stall_ == LlcStall::none) {
    access.ledger.charge_split_until(places_.pipeline, latency_ledger_, places_.queue, ledger);
    stalled_since_ = now;
  } else {
    access.ledger.charge_until(places_.of(stall_), ledger);
  }
  stall_ = stalls[out.ev_stall % std::size(stalls)];
}

void LlcSliceRtl::decided(const RtlSliceOut& out, Cycle now) {
  Slot& here = slot(out.ev_id, Stage::entered, "decides on");
  Access& access = *here.access;
  const Cycle ledger = clock().ledger_at(now);
  if (check_ != nullptr)
    differ(check_->decision(out, access, now, is_whole(Txn::of(access))), now, access.line);
  if (watch_ != nullptr) watch_->seen(access, ledger);
  if (stall_ == LlcStall::none) {
    access.ledger.charge_split_until(places_.pipeline, latency_ledger_, places_.queue, ledger);
  } else {
    access.ledger.charge_until(places_.of(stall_), ledger);
    stats_.stall_cycles += now - stalled_since_;
    ++(stall_ == LlcStall::mshr_full     ? stats_.mshr_full_stalls
       : stall_ == LlcStall::merge_limit ? stats_.merge_limit_stalls
       : stall_ == LlcStall::write_queue ? stats_.write_queue_stalls
                                         : stats_.reply_queue_stalls);
    stall_ = LlcStall::none;
  }
  --undecided_;
  count(out, access);
  const bool waits = out.ev == miss || out.ev == merge;
  here.stage = waits ? Stage::waiting : Stage::answered;
  if (waits) waiting_[access.line / params_.line].push(access);
}

void LlcSliceRtl::count(const RtlSliceOut& out, const Access& access) {
  LlcApplicationCounts& mine = counts_[application_place(access.application)];
  const AccessClass kind = access.access_class;
  stats_.count_request(kind);
  if (access.prefetch) ++stats_.prefetch_reads;
  ++mine.accesses;
  stats_.evictions += out.ev_evict ? 1 : 0;
  stats_.dirty_evictions += out.ev_dirty ? 1 : 0;
  stats_.memory_writes += out.ev_dirty ? 1 : 0;
  if (kind == AccessClass::store) {
    const bool whole = access.sectors == (1U << params_.line / sector_bytes) - 1;
    const auto sectors = static_cast<unsigned>(access.sector_count());
    stats_.store_sectors += sectors;
    if (out.ev == hit || out.ev == allocation || whole) stats_.store_hit_sectors += sectors;
  }
  if (out.ev == merge) stats_.count_merge(kind);
  if (out.ev == hit) {
    stats_.count_hit(kind);
    ++mine.hits;
  }
  if (out.ev != miss && out.ev != allocation) return;
  ++stats_.misses;
  ++mine.misses;
  if (out.ev == miss)
    stats_.count_fetch(kind);
  else
    ++stats_.write_allocations;
}

void LlcSliceRtl::filled(const RtlSliceOut& out, Cycle now) {
  Access& line = *fills_.front();
  fills_.pop_front();
  const Cycle ledger = clock().ledger_at(now);
  if (check_ != nullptr) differ(check_->fill(line.line, out, now), now, line.line);
  line.ledger.charge_until(places_.memory_bus, ledger);
  ++stats_.fills;
  stats_.evictions += out.fill_evict ? 1 : 0;
  stats_.dirty_evictions += out.fill_dirty ? 1 : 0;
  stats_.memory_writes += out.fill_dirty ? 1 : 0;
  Txn& txn = Txn::of(line);
  AccessFifo waiters = std::exchange(waiting_[line.line / params_.line], {});
  waiting_.erase(line.line / params_.line);
  while (!waiters.empty()) {
    Access& waiter = waiters.pop();
    if (&waiter == txn.cause())
      waiter.ledger.absorb(line.ledger);
    else
      waiter.ledger.charge_until(places_.merge, ledger);
    if (line.failed != 0) Txn::of(waiter).set_response_status(txn.get_response_status());
    slots_[waiter.tag].stage = Stage::answered;
  }
  if (line.failed != 0 && !shape_.event_port) fail_unseen(line, txn.get_response_status());
  line.pop_route();
  pool_.release(txn);
  if (!mem.holding()) return;
  fills_.push_back(&mem.held()->access());
  fills_.back()->ready = std::max(fills_.back()->ready, now + 1);
  mem.accept(now + 1);
}

void LlcSliceRtl::sent(const RtlSliceOut& out, Cycle now) {
  const Cycle ledger = clock().ledger_at(now);
  const Address line = out.mreq_line * params_.line;
  Txn* txn = nullptr;
  if (out.mreq_write) {
    if (check_ != nullptr) differ(check_->write(line), now, line);
    const auto all = static_cast<std::uint8_t>((1U << (params_.line / sector_bytes)) - 1);
    txn = &pool_.make(AccessClass::writeback, line, all, ledger);
    copy_identity(Access{}, txn->access());
    txn->access().application = out.mreq_application;
    txn->access().push_route(write_route);
    if (carried_) take_write(*txn);
    ++writes_out_;
    const bool flushed = flushing() && flush_began_;
    stats_.flush_writes += flushed ? 1 : 0;
    stats_.memory_writes +=
        flushed || !shape_.event_port ? 1 : 0;  // others were counted when they were decided
  } else {
    Access& access = fetcher(out, now);
    if (line != access.line / params_.line * params_.line)
      differ("line of the request: " + std::to_string(access.line) + ", fetched: " + std::to_string(line),
             now, line);
    const AccessClass access_class =
        carries_request_data(access.access_class) ? AccessClass::load : access.access_class;
    txn =
        &pool_.make(access_class, line, static_cast<std::uint8_t>((1U << (params_.line / sector_bytes)) - 1),
                    access.ledger.mark());
    copy_identity(access, txn->access());
    txn->cause() = &access;
    txn->access().push_route(out.mreq_id);
    txn->access().ledger.charge_until(places_.memory_queue, ledger);
  }
  const Accept accept = mem.send(*txn);
  if (accept.is_taken()) memory_free_ = std::max(accept.at, now + 1);
  if (!accept.is_done()) return;
  memory_free_ = now + 1;
  txn->access().ledger.charge_until(places_.external, clock().ledger_at(accept.at));
  if (response(*txn, 0, std::max(accept.at, now + 1)).is_held()) fills_.push_back(&txn->access());
}

void LlcSliceRtl::replied(const RtlSliceOut& out, Cycle now) {
  const bool unseen = !shape_.event_port && out.rsp_id < slots_.size();
  Slot& here = slot(out.rsp_id,
                    unseen && slots_[out.rsp_id].stage == Stage::entered ? Stage::entered : Stage::answered,
                    "answers");
  Access& access = *here.access;
  if (unseen) answered_unseen(access, now);
  if (check_ != nullptr) differ(check_->reply(out.rsp_id), now, access.line);
  here = {};
  free_.push_back(out.rsp_id);
  access.ledger.charge_until(places_.reply_port, clock().ledger_at(now));
  ++stats_.replies;
  if (carried_) take_reply(Txn::of(access));
  access.flits = 1;
  const Accept accept = noc.respond(Txn::of(access));
  if (!accept.is_held()) reply_free_ = std::max(accept.at, now + 1);
}

// Begins when nothing is under way in the RTL; ends when memory has acknowledged all that was written.
void LlcSliceRtl::step_flush(const RtlSliceOut& out, Cycle now) {
  const bool is_still = still(out, now);
  if (!flush_began_ && quiet() && is_still) {
    flush_began_ = true;
    if (check_ != nullptr) check_->flush(flush_what_);
    return;
  }
  if (out.flush_done) {
    dropped_ = true;
    ++(flush_what_ == LlcFlush::none ? stats_.write_backs : stats_.flushes);
    stats_.flushed_lines += out.flush_lines;
  }
  if (!dropped_ || !is_still || writes_out_ != 0) return;
  if (check_ != nullptr) differ(check_->flushed(), now, 0);
  dropped_ = flush_began_ = false;
  std::exchange(flush_done_, nullptr)->slice_flushed(flush_id_, clock().ledger_at(now));
}

void LlcSliceRtl::book_next(const RtlSliceOut& out, Cycle now) {
  const bool moved = in_.req_valid || in_.mrsp_valid || !still(out, now);
  const bool walking = flushing() && !dropped_ && (flush_began_ || quiet());
  if (moved || walking) return book(now + 1);
  if (!entering_.empty()) book(std::max(entering_.front().ready, now + 1));
  if (!fills_.empty()) book(std::max(fills_.front()->ready, now + 1));
}

}  // namespace strata
