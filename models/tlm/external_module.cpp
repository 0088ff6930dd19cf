#include "models/tlm/external_module.h"

#include <algorithm>

#include "models/tlm/protocol_checker.h"

// What external modules of plug-ins need stands together with what every netlist asks of them: the linker
// brings both.
namespace strata {

ExternalPort::ExternalPort(Block& owner, const std::string& group, int index, BindOut bind_out)
    : PortBase(owner, group, index, PortRole::initiator), out_(std::move(bind_out)) {}

ExternalPort::ExternalPort(Block& owner, const std::string& group, int index, BindIn bind_in)
    : PortBase(owner, group, index, PortRole::target), in_(std::move(bind_in)) {}

bool ExternalPort::bind_to(PortBase& other) {
  auto* target = dynamic_cast<TargetPort*>(&other);
  if (target == nullptr) return role() == PortRole::target && other.bind_to(*this);
  target_ = target;
  target->allow_calls(calls_);
  return bind_out(*target);
}

bool ExternalPort::bind_to(PortBase& other, ProtocolChecker& checker) {
  target_ = dynamic_cast<TargetPort*>(&other);
  if (target_ != nullptr) target_->allow_calls(calls_);
  return PortBase::bind_to(other, checker);
}

bool ExternalPort::bind_out(tlm::tlm_target_socket<>& to) {
  if (!out_) return false;
  out_(to);
  return true;
}

bool ExternalPort::bind_in(tlm::tlm_initiator_socket<>& from) {
  if (!in_) return false;
  in_(from);
  return true;
}

int ExternalSockets::next(const std::string& group) const {
  return static_cast<int>(std::count_if(ports_.begin(), ports_.end(),
                                        [&](const ExternalPort& port) { return port.group() == group; }));
}

void ExternalParams::for_each_param(ParamVisitor& v) {
  v.integer({"calls", "calls",
             "blocking calls (b_transport) of a socket that may wait for their return at the same time"},
            calls, {1, 65536});
}

void ExternalStats::for_each_stat(StatVisitor& v) const {
  v.counter({"ended", "requests", "requests of its own that were answered"}, ended);
}

ExternalBlock::ExternalBlock(sc_core::sc_module_name name, const ExternalParams&, const BuildContext& context)
    : Block(name, context.clock, 1, context.place) {}

void ExternalBlock::start_counting(int calls) {
  for (ExternalPort& port : sockets_.ports()) port.allow_calls(calls);
}

int ExternalBlock::open() const {
  int sum = 0;
  for (const ExternalPort& port : sockets_.ports())
    if (port.target() != nullptr) sum += port.target()->external_open();
  return sum;
}

std::uint64_t ExternalBlock::work_done() const {
  std::uint64_t sum = 0;
  for (const ExternalPort& port : sockets_.ports())
    if (port.target() != nullptr) sum += port.target()->external_ended();
  return sum;
}

Cycle ExternalBlock::end_cycle() const {
  sc_core::sc_time end;
  for (const ExternalPort& port : sockets_.ports())
    if (port.target() != nullptr) end = std::max(end, port.target()->external_last_end());
  return clock().ledger_at(clock().cycle_before(end.value()));
}

bool ExternalBlock::finished() const {
  const auto initiates = [](const ExternalPort& port) { return port.role() == PortRole::initiator; };
  if (std::none_of(sockets_.ports().begin(), sockets_.ports().end(), initiates)) return true;
  return open() == 0 && (done_ ? done_() : !sc_core::sc_pending_activity());
}

void ExternalBlock::settle(Cycle) {
  stats_.ended = work_done() - before_;
}

Faults ExternalBlock::check_idle() const {
  Faults faults;
  if (const int left = open(); left != 0)
    faults.push_back({{name(), 0, 0}, std::to_string(left) + " requests of it were never answered"});
  return faults;
}

std::vector<WaitNote> ExternalBlock::waits() const {
  std::vector<WaitNote> notes;
  for (const ExternalPort& port : sockets_.ports()) {
    const TargetPort* target = port.target();
    if (target != nullptr && target->external_open() != 0)
      notes.push_back({"requests of socket " + port.socket_name(), target->owner().name(),
                       target->external_open(), 0, nullptr});
  }
  return notes;
}

}  // namespace strata
