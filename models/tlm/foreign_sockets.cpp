#include "models/tlm/foreign_sockets.h"

#include <algorithm>

#include "models/tlm/protocol_checker.h"

namespace strata {

ForeignPort::ForeignPort(Block& owner, const std::string& group, int index, BindOut bind_out)
    : PortBase(owner, group, index, PortRole::initiator), out_(std::move(bind_out)) {}

ForeignPort::ForeignPort(Block& owner, const std::string& group, int index, BindIn bind_in)
    : PortBase(owner, group, index, PortRole::target), in_(std::move(bind_in)) {}

bool ForeignPort::bind_to(PortBase& other) {
  auto* target = dynamic_cast<TargetPort*>(&other);
  if (target == nullptr) return role() == PortRole::target && other.bind_to(*this);
  target_ = target;
  target->allow_calls(calls_);
  return bind_out(*target);
}

bool ForeignPort::bind_to(PortBase& other, ProtocolChecker& checker) {
  target_ = dynamic_cast<TargetPort*>(&other);
  if (target_ != nullptr) target_->allow_calls(calls_);
  return PortBase::bind_to(other, checker);
}

bool ForeignPort::bind_out(tlm::tlm_target_socket<>& to) {
  if (!out_) return false;
  out_(to);
  return true;
}

bool ForeignPort::bind_in(tlm::tlm_initiator_socket<>& from) {
  if (!in_) return false;
  in_(from);
  return true;
}

int ForeignSockets::next(const std::string& group) const {
  return static_cast<int>(std::count_if(ports_.begin(), ports_.end(),
                                        [&](const ForeignPort& port) { return port.group() == group; }));
}

}  // namespace strata
