#include <string>

#include "models/router_stage/reserved_crossbar_hot.h"

namespace strata {

ReservedCrossbar::ReservedCrossbar(const CrossbarShape& shape)
    : inputs_(static_cast<std::size_t>(shape.inputs)),
      outputs_(static_cast<std::size_t>(shape.outputs)),
      turns_(inputs_.size()) {
  reshape(shape);
}

void ReservedCrossbar::reshape(const CrossbarShape& shape) {
  lead_ = lead_ - enter_ + static_cast<Cycle>(shape.enter);
  enter_ = static_cast<Cycle>(shape.enter);
  vc_flits_ = static_cast<std::uint32_t>(shape.vc_flits);
  credit_delay_ = static_cast<Cycle>(shape.credit_delay);
  in_bubble_ = static_cast<Cycle>(shape.in_bubble);
  out_bubble_ = static_cast<Cycle>(shape.out_bubble);
  std::size_t ring = 1;
  while (ring < vc_flits_) ring *= 2;
  ring_mask_ = static_cast<std::uint32_t>(ring - 1);
  rings_.assign(inputs_.size() * ring, 0);
  for (std::size_t i = 0; i < inputs_.size(); ++i) inputs_[i].slot_free = &rings_[i * ring];
  occupancy_.resize(std::max<std::size_t>(occupancy_.size(), vc_flits_ + 1));
}

void ReservedCrossbar::held(const Departure& departure) {
  Output& out = outputs_[departure.output];
  out.blocked = true;
  out.since = departure.at;
  out.input = departure.input;
  out.flits = departure.flits;
}

void ReservedCrossbar::refused(int output) {
  Output& out = outputs_[static_cast<std::size_t>(output)];
  if (out.blocked) return;
  out.blocked = true;
  out.since = out.free - out_bubble_;
  out.flits = 0;
}

int ReservedCrossbar::unblock(int output, Cycle at) {
  Output& out = outputs_[static_cast<std::size_t>(output)];
  if (!out.blocked) return -1;
  out.blocked = false;
  const Cycle through = out.since + out.flits;
  const Cycle end = std::max(at, through);
  if (end > through) ++counters_.blocked;
  counters_.blocked_cycles += end - through;
  out.free = end + out_bubble_;
  if (out.flits == 0) return -1;
  leave(inputs_[out.input], out.flits, end);
  return out.input;
}

int ReservedCrossbar::next_waiting(int output) {
  Output& out = outputs_[static_cast<std::size_t>(output)];
  if (out.blocked || out.waiting.empty()) return -1;
  const int input = out.waiting.front();
  out.waiting.erase(out.waiting.begin());
  inputs_[static_cast<std::size_t>(input)].stuck = false;
  return input;
}

bool ReservedCrossbar::drained() const {
  for (const Input& in : inputs_)
    if (in.head != nullptr || in.queued != 0) return false;
  return true;
}

void ReservedCrossbar::check_idle(Faults& faults, const char* network) const {
  const auto fault = [&](const std::string& text) {
    faults.push_back({{}, std::string(network) + " network: " + text});
  };
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const std::string where = "input " + std::to_string(i) + " VC 0";
    if (inputs_[i].head != nullptr) fault(where + " holds packets");
    if (inputs_[i].queued != 0) fault(where + " lacks " + std::to_string(inputs_[i].queued) + " credits");
  }
  for (std::size_t o = 0; o < outputs_.size(); ++o)
    if (outputs_[o].blocked) fault("output " + std::to_string(o) + " is blocked by the next hop");
}

}  // namespace strata
