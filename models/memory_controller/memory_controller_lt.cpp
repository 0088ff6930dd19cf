#include "models/memory_controller/memory_controller_lt.h"

#include <algorithm>

namespace strata {

MemoryControllerLt::MemoryControllerLt(sc_core::sc_module_name module_name,
                                       const MemoryControllerParams& params, const BuildContext& context)
    : LtBlock(module_name, context.clock),
      params_(params),
      map_(context.map),
      decoder_(params),
      core_(params),
      replies_free_(static_cast<std::size_t>(params.slices)),
      read_latency_(static_cast<Cycle>(params.timing.nCL + params.timing.nBL)),
      read_ledger_(context.clock, params.timing),
      command_(params.timing),
      channel_(*this, "channel", 0) {
  if (params.line != map_.line_bytes())
    throw ConfigError(
        Faults{param_fault("line", "is " + to_text(params.line) + " but lines of the address map have " +
                                       to_text(Bytes(map_.line_bytes())))});
  for (int i = 0; i < params.slices; ++i) slice_ports_.emplace_back(*this, "slice", i);
}

LtAnswer MemoryControllerLt::transport(Txn& txn, int port, Cycle at) {
  Access& access = txn.access();
  if (access.access_class == AccessClass::flush) return {at, at, true};  // nothing of a cache reaches memory
  const std::uint16_t index = open(txn, port, at);
  const LtAnswer answer = promise(access, index, at);
  if (at <= clock().now() + 1)
    arrive(index, at);
  else
    announced_.push(at, index);
  book_next();
  return answer;
}

LtAnswer MemoryControllerLt::post(Txn& txn, int port, Cycle at) {
  if (txn.access().access_class == AccessClass::flush) return {at, at, true};
  const std::uint16_t index = open(txn, port, at);
  of(index).posted = &txn;
  const bool accepted = arrive(index, at);
  book_next();
  return {accepted ? accept_free_ - 1 : never, never};
}

std::uint16_t MemoryControllerLt::open(Txn& txn, int slice, Cycle at) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint16_t>(open_.size()));
    open_.emplace_back();
  }
  const std::uint16_t index = free_.back();
  free_.pop_back();
  const Access& access = txn.access();
  const DramLocation where =
      decoder_.decode(index_in_controller(map_, access.line, params_.controllers_per_channel));
  DramRequest request = dram_request(access, where, params_.bursts_per_line());
  Open& open = of(index);
  const auto waiting = static_cast<std::uint32_t>(waiting_[request.write ? 1 : 0].size());
  open = {request, nullptr, at, 0, reads_open_, waiting, slice, index};
  if (!request.write) {
    open.request.owner = &open;
    ++reads_open_;
  }
  return index;
}

void MemoryControllerLt::close(std::uint16_t index) {
  if (!of(index).request.write) --reads_open_;
  free_.push_back(index);
}

// What the request takes if nobody else waits, and what the likes of it waited.
LtAnswer MemoryControllerLt::promise(Access& access, std::uint16_t index, Cycle at) {
  Open& open = of(index);
  catch_up(std::min(at, clock().now()));
  const auto later = [](Cycle cycle, std::int64_t wait) {
    return static_cast<Cycle>(static_cast<std::int64_t>(cycle) + wait);
  };
  const std::int64_t room = open.waiting == 0 ? 0 : room_waits_[open.request.write].promise(open.waiting);
  const Cycle accepted = later(at, room);
  if (open.request.write || core_.forwards(open.request)) {
    access.ledger.charge_until(Cause::memory_queue, clock().ledger_at(accepted + 1));
    return {accepted, accepted + 1, false, Cause::memory_queue};
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
  return {accepted, last + read_latency_, false, Cause::dram_bus};
}

// True when it is admitted at once.
bool MemoryControllerLt::arrive(std::uint16_t index, Cycle at) {
  const bool write = of(index).request.write;
  auto& waiting = waiting_[write ? 1 : 0];
  if (waiting.empty() && has_room(of(index).request)) {
    admit(index, at);
    return true;
  }
  core_.count_stall(write);
  waiting.push_back(index);
  return false;
}

Cycle MemoryControllerLt::admit(std::uint16_t index, Cycle at) {
  Open& open = of(index);
  const Cycle accepted = std::max(at, accept_free_);
  accept_free_ = accepted + 1;
  turn_[open.request.write ? 1 : 0] = (open.slice + 1) % 64;
  catch_up(accepted);
  if (open.waiting != 0)
    room_waits_[open.request.write ? 1 : 0].learn(open.waiting,
                                                  static_cast<std::int64_t>(accepted - open.at));
  const auto admission = core_.admit(open.request, accepted);
  if (open.request.write || admission == MemoryControllerCore::Admission::forwarded) {
    if (open.posted != nullptr) {
      Access& access = open.posted->access();
      access.ledger.charge_until(Cause::memory_queue, clock().ledger_at(accepted + 1));
    }
    open.expected = 0;
    finish(index, accepted + 1);
  }
  return accepted;
}

// The end of a request is known.
void MemoryControllerLt::finish(std::uint16_t index, Cycle end) {
  Open& open = of(index);
  Txn* const posted = open.posted;
  const int slice = open.slice;
  if (open.expected != 0)
    data_waits_.learn(open.load, static_cast<std::int64_t>(end) - static_cast<std::int64_t>(open.expected));
  const Cause waits = open.request.write ? Cause::memory_queue : Cause::dram_bus;
  close(index);
  if (posted == nullptr) return;
  Cycle& free = replies_free_[static_cast<std::size_t>(slice)];
  const Cycle done = std::max(end, free);
  free = done + 1;
  slice_ports_[static_cast<std::size_t>(slice)].answer(*posted, {0, done, false, waits});
}

void MemoryControllerLt::advance(Cycle now, int) {
  booked_ = never;
  if (core_.next_action() <= now) {
    std::array<IssuedCommand, 2> issued;
    const int count = core_.advance(now, issued);
    for (int i = 0; i < count; ++i) send(issued[static_cast<std::size_t>(i)], now);
  }
  while (announced_.next() <= now) arrive(announced_.pop().value, now);
  admit_waiting(now);
  book_next();
}

void MemoryControllerLt::admit_waiting(Cycle now) {
  if (accept_free_ > now) return;
  // As MemoryController: where both directions have room, reads go first as they do in the queues.
  if (!admit_first(0, now)) admit_first(1, now);
}

// Slice by slice in turn, as MemoryController. Of one slice the first.
std::size_t MemoryControllerLt::next_waiting(std::size_t direction) const {
  const auto& waiting = waiting_[direction];
  std::size_t next = 0;
  int nearest = params_.slices;
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const int slice = open_[waiting[i]].slice;
    const int away = slice >= turn_[direction] ? slice - turn_[direction] : slice - turn_[direction] + 64;
    if (i != 0 && away >= nearest) continue;
    nearest = away;
    next = i;
  }
  return next;
}

bool MemoryControllerLt::admit_first(std::size_t direction, Cycle now) {
  auto& waiting = waiting_[direction];
  if (waiting.empty()) return false;
  const std::size_t next = next_waiting(direction);
  const std::uint16_t index = waiting[next];
  if (!has_room(of(index).request)) return false;
  waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(next));
  const bool posted = of(index).posted != nullptr;
  const int slice = of(index).slice;
  const Cycle accepted = admit(index, now);
  if (posted) slice_ports_[static_cast<std::size_t>(slice)].accept(accepted);
  return true;
}

// What an idle channel owes is issued as of the cycles in which it was due.
void MemoryControllerLt::catch_up(Cycle now) {
  while (core_.owed() <= now) {
    const Cycle cycle = core_.owed();
    std::array<IssuedCommand, 2> issued;
    const int count = core_.advance(cycle, issued);
    for (int i = 0; i < count; ++i)
      channel_.transport(command_.fill(issued[static_cast<std::size_t>(i)], cycle), cycle);
  }
}

void MemoryControllerLt::send(const IssuedCommand& issued, Cycle now) {
  channel_.transport(command_.fill(issued, now), now);
  if (!issued.last || issued.request->write) return;
  auto& open = *static_cast<Open*>(issued.request->owner);
  if (open.posted != nullptr) {
    if (command_.txn().is_response_error())
      open.posted->set_response_status(command_.txn().get_response_status());
    read_ledger_.charge(*issued.request, open.posted->access(), now, ledger_now());
  }
  finish(open.index, now + read_latency_);
}

void MemoryControllerLt::reset_stats() {
  catch_up(clock().now());
  core_.reset_stats();
}

void MemoryControllerLt::book_next() {
  Cycle next = std::min(core_.next_action(), announced_.next());
  for (std::size_t d = 0; next > accept_free_ && d < 2; ++d)
    if (!waiting_[d].empty() && has_room(of(waiting_[d][next_waiting(d)]).request))
      next = std::min(next, accept_free_);
  if (next >= booked_) return;
  booked_ = next;
  book(next);
}

unsigned MemoryControllerLt::debug(tlm::tlm_generic_payload& payload, int) {
  return channel_.debug(payload);
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
    const std::size_t outside = waiting_[write ? 1 : 0].size();
    if (core_.queued(write) == 0 && outside == 0) continue;
    notes.push_back({write ? "write queue" : "read queue", channel_.peer(),
                     core_.queued(write) + static_cast<int>(outside), core_.capacity(write), nullptr});
  }
  return notes;
}

}  // namespace strata
