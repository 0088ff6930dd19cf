#include "models/noc/switching/packet_crossbar.h"

namespace strata {

template <bool wide>
PacketCrossbar<wide>::PacketCrossbar(const CrossbarConfig& shape, const PortTurns& inputs,
                                     const PortTurns& outputs)
    : input_turns_(inputs),
      output_turns_(outputs),
      inputs_(static_cast<std::size_t>(shape.inputs)),
      outputs_(static_cast<std::size_t>(shape.outputs)),
      input_words_((inputs_.size() + 63) / 64),
      more_bids_(outputs_.size() * (input_words_ - 1)),
      due_((outputs_.size() + 63) / 64) {
  input_ = inputs_.data();
  output_ = outputs_.data();
  for (Output& output : outputs_) output.last = static_cast<std::uint16_t>(shape.inputs - 1);
  reshape(shape);
}

template <bool wide>
void PacketCrossbar<wide>::reshape(const CrossbarConfig& shape) {
  enter_ = shape.enter;
  vc_flits_ = shape.vc_flits;
  credit_delay_ = shape.credit_delay;
  in_bubble_ = shape.in_bubble;
  out_bubble_ = shape.out_bubble;
  gap_ = 1 - shape.credit_delay + shape.in_bubble;
}

template <bool wide>
CrossbarEntry PacketCrossbar<wide>::force(Access& access, int input, int output, Cycle at) {
  const auto index = static_cast<std::size_t>(input);
  Input& in = inputs_[index];
  const int occupied = in.queued + Base::draining(in, at);
  const bool first =
      Base::append(in, access, output, at + static_cast<Cycle>(enter_), static_cast<std::size_t>(occupied));
  in.queued = static_cast<std::uint16_t>(in.queued + access.flits);
  if (first) start_first(in, access, output, index);
  return {at + static_cast<Cycle>(access.flits), never};
}

template <bool wide>
Cycle PacketCrossbar<wide>::enter_partly_apart(Input& in, Access& access, int coming, Cycle at) {
  return enter_partly(in, access, coming, at);
}

// Gives the slots of a leaving packet to the entering one. Returns the cycle until which its sender is busy;
// never: it is still held.
template <bool wide>
Cycle PacketCrossbar<wide>::use_owed(Input& in, int flits, Cycle now) {
  const int given = std::min<int>(in.owed, flits);
  const Cycle first_slot = std::max(in.drain_last + 1 - static_cast<Cycle>(flits), now);
  if (in.head_waits) {
    const Cycle head = std::max(first_slot, in.end);
    in.entering->ready = head + static_cast<Cycle>(enter_);
    in.end = head + in.entering->flits;
    in.head_waits = false;
  }
  in.end = std::max(in.end, in.drain_last + 1 - static_cast<Cycle>(flits - given));
  in.drain_len = static_cast<std::uint8_t>(flits - given);
  in.queued = static_cast<std::uint16_t>(in.queued + given);
  in.owed = static_cast<std::uint16_t>(in.owed - given);
  if (in.owed != 0) return never;
  if (in.fits) follow_tail(*in.entering, in.end);  // else its head may have left
  return in.end;
}

template <bool wide>
bool PacketCrossbar<wide>::has_more_bids(std::size_t output) const {
  for (std::size_t word = 0; word + 1 < input_words_; ++word)
    if (more_bids_[output * (input_words_ - 1) + word] != 0) return true;
  return false;
}

template <bool wide>
CrossbarRelease PacketCrossbar<wide>::unblock(int o, Cycle at, Cycle now) {
  const auto index = static_cast<std::size_t>(o);
  Output& output = outputs_[index];
  if (output.blocked == 0) return {};
  const Cycle end = Base::end_block(index, at);
  if (has_bids(index)) schedule_output(index, std::max(output.free_at, now + 1));
  const Cycle until = leave(inputs_[output.input], output.input, output.flits, end, now, now + 1);
  if (until == never) return {};
  return {output.input, until};
}

template class PacketCrossbar<false>;
template class PacketCrossbar<true>;

}  // namespace strata
