#include "models/memory_controller/memory_controller_lt.h"

#include <algorithm>

namespace strata {

MemoryControllerLt::MemoryControllerLt(sc_core::sc_module_name module_name,
                                       const MemoryControllerParams& params, const BuildContext& context)
    : MemoryControllerShell(module_name, params, context, 1),
      replies_(static_cast<std::size_t>(params.slices), SlotCalendar(16)),
      read_latency_(static_cast<Cycle>(params.timing.nCL + params.timing.nBL + params.extra_latency)) {
  waiting_.fill(WaitingRequests(params.slices));
}

// Commands to a channel of ours need no payload. Others want them one by one, in order of time.
void MemoryControllerLt::end_of_elaboration() {
  MemoryControllerShell::end_of_elaboration();
  const PortBase* channel = channel_.peer_port();
  direct_ = channel == nullptr ? nullptr : dynamic_cast<DramChannelLt*>(&channel->owner());
  const bool for_at = std::any_of(slice_ports_.begin(), slice_ports_.end(),
                                  [](const LtTargetPort& port) { return port.called_for_at(); });
  if (direct_ != nullptr && !for_at) core_.read_ahead(params_);
}

LtAnswer MemoryControllerLt::transport(Txn& txn, int port, Cycle at) {
  Access& access = txn.access();
  at = tail_.whole(access, port, clock(), at);
  Open& request = open(dram_request(access, locate(access), core_.line_bursts()), port, at);
  const LtAnswer answer = promise(access, request, at);
  if (at <= clock().now() + 1)
    arrive(request, at);
  else
    announced_.push(at, request.index);
  book_next();
  return answer;
}

LtAnswer MemoryControllerLt::post(Txn& txn, int port, Cycle at) {
  Access& access = txn.access();
  at = tail_.whole(access, port, clock(), at);
  const DramLocation where = locate(access);
  const bool ahead = core_.reading_ahead() && carries_reply_data(access.access_class) &&
                     access.access_class != AccessClass::atomic;
  const Cycle now = clock().now();
  const bool early = at > now + (ahead ? foresight : 1);
  const bool at_once = ahead && !early && waiting_[0].empty();
  if (at_once && core_.has_room(false) && core_.hits_ahead(where)) {
    const Cycle accepted = accept(false, port, at);
    const int bursts = core_.line_bursts().count(core_.line_bursts().chunks_of(access));
    const auto [first, last] = core_.admit_hit(where.bank, bursts, accepted, now);
    direct_->read(bursts, last);
    read_ledger_.charge_hit(access, first, last, clock().ledger_at(last));
    return {accepted, reply(port, last), false, read_ledger_.bus()};
  }
  DramRequest request = dram_request(access, where, core_.line_bursts());
  if (at_once && !core_.forwards(request) && has_room(request, at)) {
    const Cycle accepted = accept(false, port, at);
    DramRequest* const queued = plan(request, &access, accepted, now);
    if (queued == nullptr) return {accepted, reply(port, request.last_cas), false, read_ledger_.bus()};
    Open& waits = open(request, port, at);
    waits.posted = &txn;
    queued->owner = &waits;
    book_next();
    return {accepted, never};
  }
  Open& opened = open(request, port, at);
  opened.posted = &txn;
  Cycle accepted = at;  // what comes later waits within, if it has to
  if (early) {
    announced_.push(at, opened.index);
  } else {
    opened.held = true;
    accepted = arrive(opened, at);
  }
  book_next();
  return {accepted, never};
}

MemoryControllerLt::Open& MemoryControllerLt::open(const DramRequest& request, int slice, Cycle at) {
  if (free_.empty()) {
    open_.emplace_back();
    open_.back().index = static_cast<std::uint16_t>(open_.size() - 1);
    free_.push_back(&open_.back());
  }
  Open& open = *free_.back();
  free_.pop_back();
  open.request = request;  // one by one: a request is long, and a whole Open would be copied twice
  open.posted = nullptr;
  open.at = at;
  open.expected = 0;
  open.load = reads_open_;
  open.waiting = waiting_[request.write ? 1 : 0].count();
  open.slice = slice;
  open.held = false;
  open.next = nullptr;
  if (!request.write) {
    open.request.owner = &open;
    ++reads_open_;
  }
  return open;
}

void MemoryControllerLt::close(Open& open) {
  if (!open.request.write) --reads_open_;
  free_.push_back(&open);
}

// What the request takes if nobody else waits, and what the likes of it waited.
LtAnswer MemoryControllerLt::promise(Access& access, Open& open, Cycle at) {
  promised_ = true;
  catch_up(std::min(at, clock().now()));
  const auto later = [](Cycle cycle, std::int64_t wait) {
    return static_cast<Cycle>(static_cast<std::int64_t>(cycle) + wait);
  };
  const std::int64_t room = open.waiting == 0 ? 0 : room_waits_[open.request.write].promise(open.waiting);
  const Cycle accepted = later(at, room);
  if (open.request.write || core_.forwards(open.request)) {
    access.ledger.charge_until(read_ledger_.queue(), clock().ledger_at(accepted + 1));
    return {accepted, accepted + 1, false, read_ledger_.queue()};
  }
  DramRequest told = core_.alone(open.request, at);
  open.expected = told.accepted + read_latency_;
  const std::int64_t wait = data_waits_.promise(open.load);
  const Cycle last = std::max(later(told.accepted, wait), at + 1);
  const Cycle shift = last - std::min(last, told.accepted);
  told.first_command = std::min(told.first_command + shift, last);
  if (told.activated != never) told.activated = std::min(told.activated + shift, last);
  told.first_cas = std::min(told.first_cas + shift, last);
  read_ledger_.charge(told, access, last, clock().ledger_at(last));
  return {accepted, last + read_latency_, false, read_ledger_.bus()};
}

bool MemoryControllerLt::has_room(const DramRequest& request, Cycle at) {
  const auto room = [&] {
    return request.atomic ? core_.has_room_for_atomic() : core_.has_room(request.write);
  };
  if (room()) return true;
  core_.leave(at);
  return room();
}

// The cycle of its acceptance, if it is accepted at once.
Cycle MemoryControllerLt::arrive(Open& open, Cycle at) {
  const bool write = open.request.write;
  WaitingRequests& waiting = waiting_[write ? 1 : 0];
  const bool others = !waiting.empty();
  if (others || !has_room(open.request, at)) {
    core_.count_stall(write);
    waiting.push(open);
    if (!others || &waiting.front() == &open) book_room();  // `open` may have room where the others have none
    return never;
  }
  const Cycle accepted = accept(write, open.slice, at);
  admit(open, accepted);
  return accepted;
}

void MemoryControllerLt::admit(Open& open, Cycle accepted) {
  catch_up(accepted);
  if (open.waiting != 0 && promised_)
    room_waits_[open.request.write ? 1 : 0].learn(open.waiting,
                                                  static_cast<std::int64_t>(accepted - open.at));
  if (plans_ahead(open.request) && !core_.forwards(open.request)) {
    if (plan(open.request, access_of(open), accepted, clock().now()) == nullptr)
      finish(open, reply(open.slice, open.request.last_cas));
    return;
  }
  const auto admission = core_.admit(open.request, accepted);
  if (!open.request.write && admission != MemoryControllerCore::Admission::forwarded) return;
  if (open.posted != nullptr)
    open.posted->access().ledger.charge_until(read_ledger_.queue(), clock().ledger_at(accepted + 1));
  open.expected = 0;
  finish(open, book_slot(replies_[static_cast<std::size_t>(open.slice)], accepted + 1));
}

// The end of a request is known: `end`, when it has the link to its slice.
void MemoryControllerLt::finish(Open& open, Cycle end) {
  Txn* const posted = open.posted;
  const int slice = open.slice;
  if (open.expected != 0)
    data_waits_.learn(open.load, static_cast<std::int64_t>(end) - static_cast<std::int64_t>(open.expected));
  const Place waits = open.request.write ? read_ledger_.queue() : read_ledger_.bus();
  close(open);
  if (posted != nullptr)
    slice_ports_[static_cast<std::size_t>(slice)].answer(*posted, {0, end, false, waits});
}

void MemoryControllerLt::advance(Cycle now, int) {
  booked_ = never;
  if (core_.next_action() <= now) {
    std::array<IssuedCommand, 2> issued;
    const int count = core_.advance(now, issued);
    for (int i = 0; i < count; ++i) send(issued[static_cast<std::size_t>(i)], now);
    if (direct_ != nullptr) {
      report_rows();
      core_.take_planned([this](const DramRequest& request) { end_planned(request); });
    }
  }
  while (announced_.next() <= now) arrive(open_[announced_.pop().value], now);
  if (may_have_room(0) || may_have_room(1)) {
    admit_waiting(now);
    book_room();
  }
  book_next();
}

void MemoryControllerLt::admit_waiting(Cycle now) {
  if (accepted_.find(now) > now) return;
  // As MemoryControllerAt: where both directions have room, reads go first as they do in the queues.
  if (!admit_first(0, now)) admit_first(1, now);
}

bool MemoryControllerLt::admit_first(std::size_t direction, Cycle now) {
  WaitingRequests& waiting = waiting_[direction];
  if (waiting.empty()) return false;
  Open& open = waiting.front();
  if (!has_room(open.request, now)) return false;
  waiting.pop();
  const bool held = open.held;
  const int slice = open.slice;
  const Cycle accepted = accept(open.request.write, slice, now);
  admit(open, accepted);
  if (held) slice_ports_[static_cast<std::size_t>(slice)].accept(accepted);
  return true;
}

void MemoryControllerLt::issue(const IssuedCommand& issued, Cycle cycle) {
  if (direct_ == nullptr)
    channel_.transport(command_.fill(issued, cycle), cycle);
  else
    direct_->execute(issued.command, issued.bank, issued.row, cycle);
}

void MemoryControllerLt::send(const IssuedCommand& issued, Cycle now) {
  issue(issued, now);
  if (!issued.last || issued.request->write) return;
  auto& open = *static_cast<Open*>(issued.request->owner);
  if (open.posted != nullptr) {
    if (direct_ == nullptr && command_.txn().is_response_error())
      open.posted->set_response_status(command_.txn().get_response_status());
    read_ledger_.charge(*issued.request, open.posted->access(), now, ledger_now());
  }
  finish(open, reply(open.slice, now));
}

// The column commands of a planned read, and where its time goes.
void MemoryControllerLt::report(const DramRequest& planned, Access* access) {
  direct_->read(planned.bursts - planned.issued, planned.last_cas);
  if (access != nullptr)
    read_ledger_.charge(planned, *access, planned.last_cas, clock().ledger_at(planned.last_cas));
}

void MemoryControllerLt::end_planned(const DramRequest& planned) {
  auto& open = *static_cast<Open*>(planned.owner);
  report(planned, access_of(open));
  finish(open, reply(open.slice, planned.last_cas));
}

void MemoryControllerLt::book_next() {
  wake(std::min(core_.next_action(), announced_.next()));
}

// For the next of those that wait for room, as far as is known when there will be some.
void MemoryControllerLt::book_room() {
  const Cycle now = clock().now();
  for (const WaitingRequests& waiting : waiting_) {
    if (waiting.empty()) continue;
    const DramRequest& first = waiting.front().request;
    const Cycle room = has_room(first, now) ? now : first.write ? never : core_.next_leave();
    if (room != never) wake(accepted_.find(room));
  }
}

Faults MemoryControllerLt::check_idle() const {
  if (core_.idle() && free_.size() == open_.size()) return {};
  return {{{name(), 0, 0},
           "holds " + std::to_string(core_.queued(false)) + " reads and " +
               std::to_string(core_.queued(true)) + " writes; " +
               std::to_string(open_.size() - free_.size()) + " requests are not finished"}};
}

std::vector<WaitNote> MemoryControllerLt::waits() const {
  std::vector<WaitNote> notes;
  for (const bool write : {false, true}) {
    const std::uint32_t outside = waiting_[write ? 1 : 0].count();
    if (core_.queued(write) == 0 && outside == 0) continue;
    notes.push_back({write ? "write queue" : "read queue", channel_.peer(),
                     core_.queued(write) + static_cast<int>(outside), core_.capacity(write), nullptr});
  }
  return notes;
}

}  // namespace strata
