#include "models/router_stage/packet_crossbar.h"

#include "models/router_stage/packet_crossbar_hot.h"

namespace strata {

PacketCrossbar::PacketCrossbar(const CrossbarShape& shape)
    : inputs_(static_cast<std::size_t>(shape.inputs)),
      last_input_(static_cast<std::uint16_t>(shape.inputs - 1)),
      output_turn_(static_cast<std::uint16_t>(output_turn(shape.inputs))),
      wide_(shape.inputs > 64 || shape.outputs > 64),
      outputs_(static_cast<std::size_t>(shape.outputs)),
      wide_turns_(wide_ ? output_turn_ + outputs_.size() : 0),
      input_words_((inputs_.size() + 63) / 64),
      more_bids_(outputs_.size() * (input_words_ - 1)),
      entering_(inputs_.size()),
      blocked_since_(outputs_.size()) {
  reshape(shape);
}

void PacketCrossbar::reshape(const CrossbarShape& shape) {
  enter_ = shape.enter;
  vc_flits_ = shape.vc_flits;
  credit_delay_ = shape.credit_delay;
  in_bubble_ = shape.in_bubble;
  out_bubble_ = shape.out_bubble;
  gap_ = 1 - shape.credit_delay + shape.in_bubble;
}

CrossbarEntry PacketCrossbar::force(Access& access, int input, int output, Cycle at, Cycle now) {
  return enter<true>(access, input, output, at, now);
}

// A packet that finds too few slots: it takes the free ones, then those of the packet that is leaving, and is
// owed the rest.
CrossbarEntry PacketCrossbar::enter_partly(Input& in, std::size_t index, Access& access, int free, Cycle at) {
  const int flits = access.flits;
  const int wanted = flits - free;
  const int given = std::min<int>(wanted, in.drain_len);
  const Cycle first_slot = in.drain_last + 1 - in.drain_len;
  const Cycle head = free > 0 ? at : first_slot;
  Cycle end = head + static_cast<Cycle>(flits);
  if (given > 0) end = std::max(end, first_slot + static_cast<Cycle>(given));
  in.drain_len = static_cast<std::uint8_t>(in.drain_len - given);
  in.queued = static_cast<std::uint16_t>(in.queued + free + given);
  in.owed = static_cast<std::uint16_t>(wanted - given);
  const bool head_waits = free + given == 0;
  access.ready = head_waits ? never : head + static_cast<Cycle>(enter_);
  if (in.owed == 0) {
    follow_tail(access, end);
    return {end, never};
  }
  ++counters_.held;
  entering_[index] = {&access, head_waits ? at : end, head_waits, flits <= vc_flits_};
  return {never, never};
}

// A packet leaves in one piece: its head waits here until the tail, which is in at `end`, can follow it.
void PacketCrossbar::follow_tail(Access& access, Cycle end) const {
  access.ready = std::max(access.ready, end - access.flits + static_cast<Cycle>(enter_));
}

// The slots of a leaving packet go to the one that is entering.
void PacketCrossbar::use_owed(Input& in, std::size_t index, int flits, Cycle now, CrossbarRelease& release) {
  Entering& entering = entering_[index];
  const int given = std::min<int>(in.owed, flits);
  const Cycle first_slot = std::max(in.drain_last + 1 - static_cast<Cycle>(flits), now);
  if (entering.head_waits) {
    Access& access = *entering.access;
    const Cycle head = std::max(first_slot, entering.end);
    access.ready = head + static_cast<Cycle>(enter_);
    entering.end = head + access.flits;
    entering.head_waits = false;
  }
  entering.end = std::max(entering.end, in.drain_last + 1 - static_cast<Cycle>(flits - given));
  in.drain_len = static_cast<std::uint8_t>(flits - given);
  in.queued = static_cast<std::uint16_t>(in.queued + given);
  in.owed = static_cast<std::uint16_t>(in.owed - given);
  if (in.owed != 0) return;
  if (entering.fits) follow_tail(*entering.access, entering.end);  // else its head may have left
  release = {static_cast<int>(index), entering.end};
}

bool PacketCrossbar::has_more_bids(std::size_t output) const {
  for (std::size_t word = 0; word + 1 < input_words_; ++word)
    if (more_bids_[output * (input_words_ - 1) + word] != 0) return true;
  return false;
}

// More ports than a word has bits: the same in loops.
std::size_t PacketCrossbar::arbitrate_wide(Cycle now, Grants& grants) {
  std::uint64_t* const turns = wide_turns_.take(now);
  if (turns == nullptr) return 0;
  std::uint64_t* due = turns + input_words_;
  for (std::size_t word = 0; word < input_words_; ++word) {
    std::uint64_t bits = turns[word];
    turns[word] = 0;
    for (; bits != 0; bits &= bits - 1) {
      const auto bit = static_cast<std::size_t>(__builtin_ctzll(bits));
      const Access& head = *inputs_[word * 64 + bit].head;
      if (head.ready > now) {  // beyond the horizon of turns
        wide_turns_.book(word * 64 + bit, head.ready, now);
        continue;
      }
      bid_word(head.tag, word) |= std::uint64_t{1} << bit;
      due[head.tag / 64] |= std::uint64_t{1} << head.tag % 64;
    }
  }
  std::size_t count = 0;
  for (std::size_t word = 0; word < wide_turns_.words() - input_words_; ++word) {
    std::uint64_t bits = due[word];
    due[word] = 0;
    for (; bits != 0; bits &= bits - 1)
      if (serve_wide(word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits)), now, grants[count]))
        ++count;
  }
  packets_out_ += count;
  return count;
}

bool PacketCrossbar::serve_wide(std::size_t o, Cycle now, CrossbarGrant& grant) {
  Output& output = outputs_[o];
  if (output.blocked != 0 || !has_bids(o)) return false;  // unblock() books it again
  if (output.free_at > now) {
    book_output(o, output.free_at, now);
    return false;
  }
  std::size_t word = output.pointer / 64;
  std::uint64_t bits = bid_word(o, word) & ~std::uint64_t{0} << output.pointer % 64;
  while (bits == 0) {  // comes back to the pointer's word, whose lower bits are left then
    if (++word == input_words_) word = 0;
    bits = bid_word(o, word);
  }
  bid_word(o, word) &= ~(bits & (~bits + 1));
  if (has_bids(o)) ++conflicts_;
  take(output, o, word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits)), grant);
  return true;
}

void PacketCrossbar::held(const CrossbarGrant& grant, Cycle now) {
  block(grant.output, grant.vc, grant.flits, now);
  outputs_[grant.output].free_at = never;
}

CrossbarRelease PacketCrossbar::unblock(int o, Cycle at, Cycle now) {
  const auto index = static_cast<std::size_t>(o);
  Output& output = outputs_[index];
  if (output.blocked == 0) return {};
  const Cycle end = end_block(index, at);
  if (has_bids(index)) book_output(index, output.free_at, now);
  return leave(output.input, output.flits, end, now);
}

}  // namespace strata
