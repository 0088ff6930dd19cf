#include "models/tlm/block.h"

#include "models/tlm/port_base.h"

namespace strata {

Block::Block(sc_core::sc_module_name name, ClockDomain& clock, int units)
    : sc_module(name), clock_(clock), first_id_(clock.join(*this, 0)) {
  for (int unit = 1; unit < units; ++unit) clock.join(*this, unit);
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

void PortBase::meet(PortBase& other) {
  const Hertz ours = owner_.clock().frequency(), theirs = other.owner_.clock().frequency();
  if (theirs.count < ours.count) slower_ = theirs;
  if (ours.count < theirs.count) other.slower_ = ours;
}

Cycle PortBase::slow_tail(Cycle at, unsigned flits) const {
  return at + ((flits - 1) * owner_.clock().frequency().count + slower_.count - 1) / slower_.count;
}

std::string PortBase::full_name() const {
  return std::string(owner_.name()) + "." + socket_name();
}

}  // namespace strata
