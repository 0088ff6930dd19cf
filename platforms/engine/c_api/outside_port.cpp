#include "platforms/engine/c_api/outside_port.h"

#include <algorithm>
#include <utility>

#include "models/tlm/payload_bytes.h"

namespace strata::platforms {
namespace {

constexpr Address line_bytes = 128;  // line size of external sockets: the line of the platform

constexpr AccessClass classes[] = {AccessClass::load, AccessClass::store, AccessClass::read_only_load};

Address line_of(Address address) {
  return address / line_bytes * line_bytes;
}

/// Number of lines that a request touches.
int lines_of(const strata_request& request) {
  return static_cast<int>((line_of(request.address + request.bytes - 1) - line_of(request.address)) /
                          line_bytes) +
         1;
}

}  // namespace

void OutsidePortParams::for_each_param(ParamVisitor& v) {
  v.integer({"ports", "sockets", "that the caller drives"}, ports, {1, 256});
  v.integer({"outstanding", "lines", "queued or without a reply, per port"}, outstanding, {32, 65536});
  v.integer({"queue", "lines", "that wait to be sent when a port takes another request"}, queue, {1, 4096});
  v.integer({"first_sm", "", "number of the SM that port 0 stands for"}, first_sm, {0, 65535});
}

void OutsidePortStats::for_each_stat(StatVisitor& v) const {
  v.counter({"requests", "requests", "requests that were taken"}, requests);
  v.counter({"refused", "requests", "attempts while the queue was full"}, refused);
  v.counter({"lines", "accesses", "line accesses made of them"}, lines);
  v.counter({"answered_lines", "accesses", "of these: replied"}, answered_lines);
  v.counter({"replies", "replies", "requests with a reply for every line"}, replies);
  v.counter({"failed", "replies", "of these: with an error"}, failed);
  v.counter({"data_bytes", "bytes", "bytes loaded or stored"}, data_bytes);
  v.law("requests = replies");
  v.law("lines = answered_lines");
  v.law("lines >= requests");
}

OutsidePort::OutsidePort(sc_core::sc_module_name module_name, const OutsidePortParams& params,
                         const BuildContext& context)
    : Block(module_name, context.clock, params.ports, context.place_as(Role::generator)),
      params_(params),
      pool_(&context.clock.places()),
      lanes_(static_cast<std::size_t>(params.ports)) {
  for (int p = 0; p < params.ports; ++p) lane(p).socket = std::make_unique<InitiatorPort>(*this, "out", p);
}

void OutsidePort::end_of_elaboration() {
  for (Lane& one : lanes_) {
    one.link = place_for(Cause::queue);
    one.reply = one.socket->place_beyond(Cause::external);
  }
}

bool OutsidePort::push(int port, const strata_request& request) {
  Lane& to = lane(port);
  const int lines = lines_of(request);
  if (static_cast<int>(to.queue.size()) >= params_.queue || to.open + lines > params_.outstanding) {
    ++stats_.refused;
    return false;
  }
  const std::size_t number = make_request(request);
  ++stats_.requests;
  stats_.data_bytes += request.bytes;
  const Cycle now = clock().ledger_now();
  for (int i = 0; i < lines; ++i) {
    const Address line = line_of(request.address) + static_cast<Address>(i) * line_bytes;
    const Address first = std::max(line, request.address);
    const Address last = std::min(line + line_bytes, request.address + request.bytes) - 1;
    unsigned sectors = 0;
    for (Address byte = first; byte <= last; ++byte) sectors |= 1U << ((byte - line) / sector_bytes);
    Txn& txn = pool_.make(classes[request.operation], line, static_cast<std::uint8_t>(sectors), now);
    txn.access().sm = static_cast<std::uint16_t>(params_.first_sm + port);
    txn.access().cta = static_cast<std::uint32_t>(number);  // only this port reads it
    if (clock().carries_data()) carry(txn, requests_[number]);
    to.queue.push_back(&txn);
    ++to.open;
    ++stats_.lines;
  }
  requests_[number].open = lines;
  book(std::max(clock().now(), to.free), port);
  return true;
}

std::size_t OutsidePort::make_request(const strata_request& request) {
  if (spare_.empty()) {
    spare_.push_back(requests_.size());
    requests_.emplace_back();
  }
  const std::size_t number = spare_.back();
  spare_.pop_back();
  Request& made = requests_[number];
  made.asked = request;
  made.pushed = clock().now();
  made.done = 0;
  made.failed = false;
  const bool store = request.operation == STRATA_STORE;
  made.data.assign(request.data, request.data + (store ? request.bytes : 0));
  if (!store && clock().carries_data()) made.data.resize(request.bytes);
  made.strobes.assign(request.strobes,
                      request.strobes + (store && request.strobes != nullptr ? request.bytes : 0));
  return number;
}

void OutsidePort::advance(Cycle now, int port) {
  Lane& from = lane(port);
  if (from.queue.empty() || from.socket->blocked()) return;
  if (from.free > now) return book(from.free, port);
  Txn& txn = *from.queue.front();
  from.queue.pop_front();
  txn.access().ledger.charge_until(from.link, clock().ledger_at(now));
  const Accept accept = from.socket->send(txn);
  from.free = accept.is_taken() ? std::max(accept.at, now + 1) : now + 1;
  if (accept.is_done()) end_line(txn, port, accept.at);
  if (!from.queue.empty() && !from.socket->blocked()) book(from.free, port);
}

void OutsidePort::request_unblocked(int port, Cycle at) {
  lane(port).free = at;
  book(at, port);
}

// The tail of a reply follows its head, as at an L1 behind a network.
Accept OutsidePort::response(Txn& txn, int port, Cycle at) {
  const InitiatorPort& socket = *lane(port).socket;
  end_line(txn, port, socket.behind_network() ? socket.tail(at, txn.access().flits) : at);
  return Accept::taken(at + 1);
}

void OutsidePort::end_line(Txn& txn, int port, Cycle at) {
  Access& access = txn.access();
  const Cycle retired = clock().ledger_at(at);
  access.ledger.charge_until(lane(port).reply, retired);
  if (!totals_.add(access, retired))
    SC_REPORT_ERROR(name(), "the ledger of an access does not sum to its latency");
  Request& request = requests_[access.cta];
  request.failed = request.failed || access.failed != 0;
  request.done = std::max(request.done, at);
  ++stats_.answered_lines;
  --lane(port).open;
  if (clock().carries_data()) {
    if (!is_write(access.access_class)) carry(txn, request);
    end_enables(txn);
  }
  if (--request.open == 0) {
    end_request(request, port);
    spare_.push_back(access.cta);
  }
  txn.release();
}

void OutsidePort::end_request(Request& request, int port) {
  Reply ended{{request.asked.id, request.pushed, request.done, request.asked.bytes, request.asked.operation,
               static_cast<std::uint8_t>(request.failed ? 1 : 0)},
              {}};
  if (request.asked.operation == STRATA_STORE || request.failed) ended.reply.bytes = 0;
  if (!request.failed && !clock().carries_data()) move(request, port, ended.data);
  if (!request.failed && request.asked.operation != STRATA_STORE && clock().carries_data())
    ended.data = request.data;
  ++stats_.replies;
  stats_.failed += request.failed ? 1 : 0;
  // A hit replies at once, with a later cycle: the queue is ordered by the cycle of the reply.
  std::deque<Reply>& replies = lane(port).replies;
  auto behind = replies.end();
  while (behind != replies.begin() && std::prev(behind)->reply.done_cycle > request.done) --behind;
  replies.insert(behind, std::move(ended));
}

// If payloads carry bytes: copies store data into the line access, and load data out of it.
void OutsidePort::carry(Txn& txn, Request& request) {
  const bool store = is_write(txn.access().access_class);
  const Address line = txn.access().line, end = request.asked.address + request.asked.bytes;
  const Address first = std::max(line, request.asked.address);
  const Address last = std::min(line + line_bytes, end);
  if (store) begin_enables(txn);
  for (Address address = first; address < last; ++address) {
    const std::size_t at = address - request.asked.address;
    if (!store) {
      request.data[at] = *byte_at(txn, address);
    } else if (request.strobes.empty() || request.strobes[at] != 0) {
      *byte_at(txn, address) = request.data[at];
      txn.get_byte_enable_ptr()[address - txn.get_address()] = TLM_BYTE_ENABLED;
    }
  }
}

// Each line is accessed by itself, because lines may lie in different memories. A masked store reads the rest
// of the line first: the memory then sees two accesses, not one for each run of bytes.
void OutsidePort::move(Request& request, int port, std::vector<std::uint8_t>& data) {
  const bool store = request.asked.operation == STRATA_STORE;
  if (!store) data.resize(request.asked.bytes);
  std::uint8_t* const bytes = store ? request.data.data() : data.data();
  const auto access = [&](tlm::tlm_command command, Address first, std::uint8_t* to, Address count) {
    tlm::tlm_generic_payload run;
    run.set_command(command);
    run.set_address(request.asked.address + first);
    run.set_data_ptr(to);
    run.set_data_length(static_cast<unsigned>(count));
    run.set_streaming_width(static_cast<unsigned>(count));
    return lane(port).socket->debug(run) == count;
  };
  for (Address first = 0, end = 0; first < request.asked.bytes; first = end) {
    end = std::min<Address>(request.asked.bytes,
                            line_of(request.asked.address + first) + line_bytes - request.asked.address);
    const Address count = end - first;
    const auto written = [&](Address i) {
      return request.strobes.empty() || request.strobes[first + i] != 0;
    };
    Address kept = 0;
    for (Address i = 0; store && i < count; ++i) kept += written(i) ? 0 : 1;
    if (store && kept == count) continue;
    std::uint8_t old[line_bytes];
    if (kept != 0 && !access(tlm::TLM_READ_COMMAND, first, old, count)) continue;
    for (Address i = 0; kept != 0 && i < count; ++i)
      if (!written(i)) bytes[first + i] = old[i];
    access(store ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, first, bytes + first, count);
  }
}

const OutsidePort::Reply* OutsidePort::next_reply(int port, Cycle now) const {
  const std::deque<Reply>& replies = lane(port).replies;
  return replies.empty() || replies.front().reply.done_cycle >= now ? nullptr : &replies.front();
}

void OutsidePort::pop_reply(int port) {
  lane(port).replies.pop_front();
}

void OutsidePort::reset_stats() {
  stats_ = {};
  totals_ = {};
}

Faults OutsidePort::check_idle() const {
  Faults faults;
  if (const std::size_t left = pool_.in_use(); left != 0)
    faults.push_back({{name(), 0, 0}, std::to_string(left) + " accesses never got a reply"});
  return faults;
}

std::vector<WaitNote> OutsidePort::waits() const {
  std::vector<WaitNote> notes;
  for (int p = 0; p < params_.ports; ++p)
    if (lane(p).open != 0)
      notes.push_back({"port " + std::to_string(p) + ": lines without a reply", lane(p).socket->peer(),
                       lane(p).open, params_.outstanding, nullptr});
  return notes;
}

ModuleKind outside_port_kind() {
  return module_kind<OutsidePortParams, OutsidePortStats, OutsidePort>(
      "outside_port", "Requests of the program or RTL test bench that has opened the platform in C",
      Role::none, "core", [](const ParamSet& params) -> std::vector<PortSpec> {
        return {tlm_sockets("out", PortRole::initiator, static_cast<const OutsidePortParams&>(params).ports,
                            "line accesses of the caller's port, to an L1, a router or a slice",
                            {{"lines"}, {"answered_lines"}})};
      });
}

}  // namespace strata::platforms
