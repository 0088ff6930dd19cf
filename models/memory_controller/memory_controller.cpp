#include "models/memory_controller/memory_controller.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "models/tlm/payload_bytes.h"

namespace strata {

MemoryController::MemoryController(sc_core::sc_module_name name, const MemoryControllerParams& params,
                                   const BuildContext& context)
    : Block(name, context.clock, 1 + params.slices, context.place_as(Role::memory)),
      params_(params),
      map_(context.map),
      decoder_(params),
      core_(params),
      read_ledger_(*this, params.timing),
      tail_(read_ledger_.queue()),
      command_(params.timing),
      channel_(*this, "channel", 0),
      carries_data_(context.clock.carries_data()),
      replies_(static_cast<std::size_t>(params.slices)) {
  if (params.line != map_.line_bytes())
    throw ConfigError(
        Faults{param_fault("line", "is " + to_text(params.line) + " but lines of the address map have " +
                                       to_text(Bytes(map_.line_bytes())))});
  for (int i = 0; i < params.slices; ++i) slice_ports_.emplace_back(*this, "slice", i);
}

bool MemoryController::has_room(const Access& access) const {
  const int bursts = core_.line_bursts().count(core_.line_bursts().sectors_in(access));
  return access.access_class == AccessClass::atomic ? core_.has_room_for_atomic(bursts)
                                                    : core_.has_room(is_write(access.access_class), bursts);
}

Accept MemoryController::request(Txn& txn, int port, Cycle at) {
  at = tail_.whole(txn.access(), port, clock(), at);
  txn.access().ready = at;
  const bool write = is_write(txn.access().access_class);
  std::uint64_t& held = held_[core_.queue_of(write)];
  if (held != 0 || !has_room(txn.access())) {  // no request passes those that wait
    core_.count_stall(write);
    held |= bit(port);
    return Accept::held();
  }
  const Cycle accepted = admit(txn, port, at);
  book_next();
  return Accept::taken(accepted);
}

Cycle MemoryController::admit(Txn& txn, int slice, Cycle at) {
  Access& access = txn.access();
  if (carries_data_) move_bytes(txn);
  const Cycle accepted = std::max(at, accept_free_);
  accept_free_ = accepted + 1;
  turn_[core_.queue_of(is_write(access.access_class))] = (slice + 1) % 64;
  DramRequest request = dram_request(access, location_of(access), core_.line_bursts());
  request.owner = request.write ? nullptr : &txn;
  access.tag = static_cast<std::uint16_t>(slice);
  catch_up(accepted);
  const auto admission = core_.admit(request, accepted);
  if (request.write || admission == MemoryControllerCore::Admission::forwarded)
    enqueue(access, slice, accepted + 1, replies_[static_cast<std::size_t>(slice)].early);
  return accepted;
}

void MemoryController::advance(Cycle now, int unit) {
  if (unit == scheduler) {
    schedule(now);
  } else {
    reply(now, unit - 1);
  }
}

void MemoryController::schedule(Cycle now) {
  booked_ = never;
  if (core_.next_action() <= now) {
    std::array<IssuedCommand, 2> issued;
    const int count = core_.advance(now, issued);
    for (int i = 0; i < count; ++i) send(issued[static_cast<std::size_t>(i)], now);
  }
  if ((held_[0] | held_[1]) != 0) accept_held(now);
  book_next();
}

void MemoryController::accept_held(Cycle now) {
  if (accept_free_ > now) return;
  // If both queues have free entries, reads go first, as in the queues.
  if (!accept_one(0, now)) accept_one(1, now);
}

// The slice whose held request for a queue is accepted next. At least one must be held.
int MemoryController::next_held(std::size_t queue) const {
  const std::uint64_t from_turn = held_[queue] & (~std::uint64_t{0} << turn_[queue]);
  return __builtin_ctzll(from_turn != 0 ? from_turn : held_[queue]);
}

bool MemoryController::accept_one(std::size_t queue, Cycle now) {
  if (held_[queue] == 0) return false;
  const int slice = next_held(queue);
  TargetPort& port = slice_ports_[static_cast<std::size_t>(slice)];
  if (!has_room(port.held()->access())) return false;
  held_[queue] &= ~bit(slice);
  const Cycle accepted = admit(*port.held(), slice, std::max(now, port.held()->access().ready));
  port.accept(accepted);
  return true;
}

Accept MemoryController::transport(const IssuedCommand& issued, Cycle cycle) {
  const Accept end = channel_.send(command_.fill(issued, cycle));
  if (!end.is_done())
    SC_REPORT_ERROR(name(), "the DRAM channel must answer every command at once (TLM_COMPLETED)");
  return end;
}

void MemoryController::send(const IssuedCommand& issued, Cycle now) {
  const Accept end = transport(issued, never);
  if (!end.is_done()) return;
  if (!issued.last || issued.request->write) return;
  Access& access = static_cast<Txn*>(issued.request->owner)->access();
  if (command_.txn().is_response_error())
    Txn::of(access).set_response_status(command_.txn().get_response_status());
  // The last column command fixes all remaining milestones of a read.
  read_ledger_.charge(*issued.request, access, now, ledger_now());
  const Cycle ready = end.at + static_cast<Cycle>(params_.extra_latency);
  if (ready != end.at) access.ledger.charge_until(read_ledger_.access(), clock().ledger_at(ready));
  enqueue(access, access.tag, ready, replies_[access.tag].data);
}

void MemoryController::enqueue(Access& access, int slice, Cycle ready, AccessFifo& fifo) {
  access.ready = ready;
  fifo.push(access);
  book(std::max(ready, replies_[static_cast<std::size_t>(slice)].free), reply_unit(slice));
}

void MemoryController::reply(Cycle now, int slice) {
  TargetPort& port = slice_ports_[static_cast<std::size_t>(slice)];
  Replies& replies = replies_[static_cast<std::size_t>(slice)];
  if (port.response_blocked()) return;  // response_unblocked() schedules the next
  if (now < replies.free) return book(replies.free, reply_unit(slice));
  const Cycle early = replies.early.due();
  const Cycle data = replies.data.due();
  const Cycle ready = std::min(early, data);
  if (ready > now) return;  // enqueue() has scheduled it
  Access& access = early <= data ? replies.early.pop() : replies.data.pop();
  if (early <= data) {
    access.ledger.charge(read_ledger_.queue(), ledger_now());
  } else if (ready < now) {
    access.ledger.charge(read_ledger_.bus(), ledger_now());  // the link to the slice was busy
  }
  const Accept accept = port.respond(Txn::of(access));
  if (accept.is_held()) return;
  replies.free = std::max(accept.at, now + 1);
  const Cycle next = std::min(replies.early.due(), replies.data.due());
  if (next != never) book(std::max(next, replies.free), reply_unit(slice));
}

void MemoryController::response_unblocked(int port, Cycle at) {
  replies_[static_cast<std::size_t>(port)].free = at;
  book(at, reply_unit(port));
}

void MemoryController::book_next() {
  Cycle next = core_.next_action();
  for (std::size_t queue = 0; next > accept_free_ && queue < 2; ++queue)
    if (held_[queue] != 0 &&
        has_room(slice_ports_[static_cast<std::size_t>(next_held(queue))].held()->access()))
      next = std::min(next, accept_free_);
  wake(next);
}

Faults MemoryController::check_idle() const {
  Faults faults;
  const auto blame = [&](std::string message) { faults.push_back({{name(), 0, 0}, std::move(message)}); };
  if (!core_.idle())
    blame("holds " + std::to_string(core_.queued(false)) + " entries of the queue of reads, " +
          std::to_string(core_.queued(true)) + " of that of writes, and " + std::to_string(core_.active()) +
          " requests with an open row");
  for (std::size_t i = 0; i < replies_.size(); ++i)
    if (!replies_[i].early.empty() || !replies_[i].data.empty())
      blame("replies for slice[" + std::to_string(i) + "] wait");
  if ((held_[0] | held_[1]) != 0) blame("requests of slices are held back");
  return faults;
}

std::vector<WaitNote> MemoryController::waits() const {
  std::vector<WaitNote> notes;
  const DramRequest* oldest = core_.oldest();
  const Access* access =
      oldest == nullptr || oldest->owner == nullptr ? nullptr : &static_cast<Txn*>(oldest->owner)->access();
  for (const bool write : {false, true}) {
    const bool shared = core_.queue_of(true) == core_.queue_of(false);
    if (core_.queued(write) == 0 || (write && shared)) continue;
    notes.push_back({shared  ? "queue"
                     : write ? "write queue"
                             : "read queue",
                     channel_.peer(), core_.queued(write), core_.capacity(write), write ? nullptr : access});
  }
  for (int i = 0; i < params_.slices; ++i) {
    const auto slice = static_cast<std::size_t>(i);
    const std::string port = slice_ports_[slice].socket_name();
    if (((held_[0] | held_[1]) & bit(i)) != 0)
      notes.push_back({port + " (request held)", name(), 1, 1, &slice_ports_[slice].held()->access()});
    const AccessFifo& data = replies_[slice].data;
    if (slice_ports_[slice].response_blocked())
      notes.push_back({port + " (reply)", "", data.size() + replies_[slice].early.size(), 0,
                       data.empty() ? nullptr : &data.front()});
  }
  return notes;
}

// Issues the refreshes that an idle channel owes, as of the cycles in which they were due.
void MemoryController::catch_up(Cycle now) {
  while (core_.owed() <= now) {
    const Cycle cycle = core_.owed();
    std::array<IssuedCommand, 2> issued;
    const int count = core_.advance(cycle, issued);
    for (int i = 0; i < count; ++i) transport(issued[static_cast<std::size_t>(i)], cycle);
  }
}

// Schedules the scheduler for `next` at the latest.
void MemoryController::wake(Cycle next) {
  if (next >= booked_) return;
  booked_ = next;
  book(next);
}

// Closes one row a cycle, with the same commands to the channel as any other PRE.
bool MemoryController::make_cold() {
  const Cycle now = clock().now();
  if (now <= made_cold_) return false;
  made_cold_ = now;
  if (core_.owed() <= now) {
    catch_up(now);
    return false;
  }
  std::optional<IssuedCommand> issued;
  const bool open = core_.close_idle_row(now, issued);
  if (issued) transport(*issued, now);
  return !open;
}

// Memory contents change, and are read, in the order in which requests are accepted.
void MemoryController::move_bytes(Txn& txn) {
  const auto debug = [this](tlm::tlm_generic_payload& payload) {
    if (channel_.debug(payload) != payload.get_data_length())
      SC_REPORT_ERROR(name(), "the DRAM channel keeps no bytes: run.data: carried needs its transport_dbg");
  };
  if (txn.access().access_class != AccessClass::atomic) return debug(txn);
  for_each_sector(txn, [&](Address sector, unsigned char* operands, ByteMask which) {
    unsigned char words[sector_bytes];
    tlm::tlm_generic_payload payload;
    payload.set_address(sector);
    payload.set_data_ptr(words);
    payload.set_data_length(sector_bytes);
    payload.set_streaming_width(sector_bytes);
    payload.set_read();
    debug(payload);
    add_words(operands, words, which);
    payload.set_write();
    debug(payload);
  });
}

}  // namespace strata
