#include "models/tlm/block.h"

#include <algorithm>

#include "models/tlm/port_base.h"
#include "models/tlm/protocol_checker.h"

namespace strata {

namespace {

/// `target` of "target_3_0" and of "target[3]": one place for all of them.
std::string without_numbers(std::string name) {
  name.resize(std::min(name.size(), name.find('[')));
  for (;;) {
    const std::size_t last = name.find_last_not_of("0123456789");
    if (last == std::string::npos || last == 0 || last + 1 == name.size() || name[last] != '_') return name;
    name.resize(last);
  }
}

}  // namespace

Block::Block(sc_core::sc_module_name name, ClockDomain& clock, int units, std::string_view place)
    : sc_module(name), place_(place), first_id_(clock.join(*this, units)), clock_(clock) {
  if (place.empty()) place_ = without_numbers(basename());
  if (units == 0) return;
  first_word_ = clock.wheel().turns(static_cast<std::size_t>(first_id_) / 64);
  first_number_ = static_cast<std::size_t>(first_id_) % 64;
  for (int unit = 0; unit < units; ++unit) touches_first(unit, &clock_);  // and what lies behind it
}

Block::~Block() = default;

Accept Block::request(Txn& txn, int, Cycle at) {
  SC_REPORT_ERROR(name(), "request at a port that takes none");
  txn.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
  return Accept::done(at);
}

Accept Block::response(Txn&, int, Cycle at) {
  SC_REPORT_ERROR(name(), "response to a request that was never sent");
  return Accept::taken(at);
}

void Block::request_unblocked(int, Cycle) {}
void Block::response_unblocked(int, Cycle) {}
unsigned Block::debug(tlm::tlm_generic_payload&, int) {
  return 0;
}

PortBase::PortBase(Block& owner, std::string group, int index, PortRole role)
    : owner_(owner), group_(std::move(group)), index_(index), role_(role) {
  owner.ports_.push_back(this);
}

PortBase::~PortBase() = default;

bool PortBase::bind_to(PortBase& other, ProtocolChecker& checker) {
  checker.name_route(full_name() + " -> " + other.full_name());
  return bind_out(checker.target) && other.bind_in(checker.initiator);
}

bool PortBase::bind_out(tlm::tlm_target_socket<>&) {
  return false;
}

bool PortBase::bind_in(tlm::tlm_initiator_socket<>&) {
  return false;
}

void PortBase::meet(PortBase& other) {
  set_ends(*this, other);
  const Hertz ours = owner_.clock().frequency(), theirs = other.owner_.clock().frequency();
  if (theirs.count < ours.count) slower_ = theirs;
  if (ours.count < theirs.count) other.slower_ = ours;
}

Cycle PortBase::slow_tail(Cycle at, unsigned flits) const {
  return at + ((flits - 1) * owner_.clock().frequency().count + slower_.count - 1) / slower_.count;
}

void PortBase::set_ends(PortBase& from, PortBase& to) {
  from.other_end_ = &to.owner_;
  to.other_end_ = &from.owner_;
}

Place PortBase::place_beyond(Cause cause) const {
  return (other_end_ != nullptr ? *other_end_ : owner_).place_for(cause);
}

Place PortBase::place_served(Cause cause) const {
  const PortBase* port = this;
  for (int hops = 0; hops < max_hops && port->behind_network(); ++hops) {
    const std::vector<PortBase*>& ports = port->other_end_->ports();
    const auto out = std::find_if(ports.begin(), ports.end(),
                                  [](const PortBase* one) { return one->role_ == PortRole::initiator; });
    if (out == ports.end()) break;
    port = *out;
  }
  return port->place_beyond(cause);
}

Place PortBase::place_of_link(Cause cause) const {
  return (behind_network() ? *other_end_ : owner_).place_for(cause);
}

std::string PortBase::full_name() const {
  return std::string(owner_.name()) + "." + socket_name();
}

}  // namespace strata
