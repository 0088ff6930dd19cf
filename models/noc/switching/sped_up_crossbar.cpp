#include "models/noc/switching/sped_up_crossbar.h"

#include <algorithm>

namespace strata {

SpedUpCrossbar::SpedUpCrossbar(const CrossbarConfig& shape)
    : inputs_(static_cast<std::size_t>(shape.inputs)),
      outputs_(static_cast<std::size_t>(shape.outputs)),
      turns_(output_turn(shape.inputs) + static_cast<std::size_t>(shape.outputs)),
      output_turn_(output_turn(shape.inputs)),
      due_((outputs_.size() + 63) / 64),
      blocked_since_(outputs_.size()) {
  for (Output& output : outputs_) output.bids = Bits(inputs_.size());
  reshape(shape);
}

void SpedUpCrossbar::reshape(const CrossbarConfig& shape) {
  read_ports_ = static_cast<std::size_t>(shape.input_speedup);
  enter_ = static_cast<Cycle>(shape.enter);
  vc_flits_ = shape.vc_flits;
  credit_delay_ = static_cast<Cycle>(shape.credit_delay);
  in_bubble_ = static_cast<Cycle>(shape.in_bubble);
  out_bubble_ = static_cast<Cycle>(shape.out_bubble);
}

CrossbarEntry SpedUpCrossbar::enter(Access& access, int input, int output, Cycle at, Cycle now, bool forced) {
  const auto index = static_cast<std::size_t>(input);
  Input& in = inputs_[index];
  const auto flits = static_cast<std::size_t>(access.flits);
  const auto back = [&](Cycle cycle) { return std::upper_bound(in.slots.begin(), in.slots.end(), cycle); };
  in.slots.erase(in.slots.begin(), back(now));
  const auto occupied = in.queued + static_cast<std::size_t>(in.slots.end() - back(at));
  const bool first = append(in, access, output, at + enter_, occupied);
  const auto capacity = static_cast<std::size_t>(vc_flits_);
  CrossbarEntry entry{at + flits, never};
  if (forced || occupied + flits <= capacity) {
    in.queued += static_cast<std::uint32_t>(flits);
  } else {  // it takes the free slots, then those that are coming back, and is owed the rest
    in.slots.erase(in.slots.begin(), back(at));
    const std::size_t free = capacity > occupied ? capacity - occupied : 0;
    in.queued += static_cast<std::uint32_t>(free);
    in.owed = static_cast<std::uint16_t>(flits - free);
    in.entering = &access;
    in.next_flit = at + free;
    in.head_waits = free == 0;
    give_slots(in, now);
    // A packet leaves in one piece: its head waits here until its tail can follow it.
    if (in.owed == 0) access.ready = std::max(access.ready, in.next_flit - flits + enter_);
    if (in.head_waits) access.ready = never;
    entry.at = in.owed == 0 ? in.next_flit : never;
    if (in.owed != 0) ++held_;
    if (in.head_waits) return entry;
  }
  if (first && !in.stuck) entry.due = book_head(index, now);
  return entry;
}

// Returned slots go to the entering packet.
void SpedUpCrossbar::give_slots(Input& in, Cycle now) {
  std::size_t given = 0;
  for (; in.owed != 0 && given < in.slots.size(); ++given) {
    Cycle at = std::max(in.next_flit, in.slots[given]);
    if (in.head_waits) {
      at = std::max(at, now);
      in.entering->ready = at + enter_;
      in.head_waits = false;
    }
    in.next_flit = at + 1;
    --in.owed;
    ++in.queued;
  }
  in.slots.erase(in.slots.begin(), in.slots.begin() + static_cast<std::ptrdiff_t>(given));
}

// The head of an input gets its turn as soon as it is ready and a port is free.
Cycle SpedUpCrossbar::book_head(std::size_t index, Cycle now) {
  Access& head = *inputs_[index].head;
  head.ready = inputs_[index].ports.free_from(std::max(head.ready, now), read_ports_);
  return turns_.book(index, head.ready, now);
}

void SpedUpCrossbar::begin(Cycle now) {
  std::uint64_t* turns = turns_.take(now);
  if (turns == nullptr) return;
  const std::size_t words = output_turn_ / 64;
  for (std::size_t word = 0; word < due_.size(); ++word) {
    due_[word] |= turns[words + word];
    turns[words + word] = 0;
  }
  for (std::size_t word = 0; word < words; ++word) {
    std::uint64_t bits = turns[word];
    turns[word] = 0;
    for (; bits != 0; bits &= bits - 1) {
      const std::size_t index = word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
      const Access& head = *inputs_[index].head;
      if (head.ready > now) {  // beyond the horizon of turns
        turns_.book(index, head.ready, now);
        continue;
      }
      outputs_[head.tag].bids.set(index);
      due_[head.tag / 64] |= std::uint64_t{1} << head.tag % 64;
    }
  }
}

bool SpedUpCrossbar::next(Cycle now, CrossbarGrant& grant) {
  for (std::size_t word = 0; word < due_.size(); ++word) {
    while (due_[word] != 0) {
      const std::size_t o = word * 64 + static_cast<std::size_t>(__builtin_ctzll(due_[word]));
      due_[word] &= due_[word] - 1;
      Output& output = outputs_[o];
      if (output.blocked || !output.bids.any()) continue;  // unblock() books it again
      if (output.free_at > now) {
        turns_.book(output_turn_ + o, output.free_at, now);
        continue;
      }
      // Round robin: the first bidder from the pointer on.
      const std::size_t index = output.bids.first_from(output.pointer);
      output.bids.clear(index);
      if (output.bids.any()) ++conflicts_;
      output.pointer = index + 1 == inputs_.size() ? 0 : index + 1;
      Input& in = inputs_[index];
      Access& access = *in.head;
      in.head = access.next;
      access.next = nullptr;
      in.stuck = true;  // until it is known when the tail leaves
      output.busy += access.flits;
      ++packets_out_;
      grant = {&access, static_cast<std::uint16_t>(index), static_cast<std::uint16_t>(o), access.flits};
      return true;
    }
  }
  return false;
}

// A packet leaves, its tail in cycle `end` - 1: slots come back.
CrossbarRelease SpedUpCrossbar::leave(std::size_t index, int flits, Cycle end, Cycle now) {
  Input& in = inputs_[index];
  in.stuck = false;
  in.queued -= static_cast<std::uint32_t>(flits);
  in.ports.take(end + in_bubble_);
  for (int flit = flits; flit > 0; --flit) {
    const Cycle slot = end + credit_delay_ - static_cast<Cycle>(flit);
    in.slots.insert(std::upper_bound(in.slots.begin(), in.slots.end(), slot), slot);
  }
  if (in.owed == 0) return {};
  give_slots(in, now);
  if (in.owed != 0) return {};
  Access& entered = *in.entering;
  // One that is longer than the buffer may have left.
  if (static_cast<int>(entered.flits) <= vc_flits_)
    entered.ready = std::max(entered.ready, in.next_flit - entered.flits + enter_);
  return {static_cast<int>(index), in.next_flit};
}

CrossbarRelease SpedUpCrossbar::sent(const CrossbarGrant& grant, Cycle at, Cycle now) {
  Output& output = outputs_[grant.output];
  const Cycle end = std::max(at, now + static_cast<Cycle>(grant.flits));
  output.free_at = end + out_bubble_;
  if (output.bids.any()) turns_.book(output_turn_ + grant.output, output.free_at, now);
  const CrossbarRelease release = leave(grant.vc, grant.flits, end, now);
  Access* const head = inputs_[grant.vc].head;
  if (head == nullptr || head->ready == never) return release;
  head->ready = inputs_[grant.vc].ports.free_from(std::max(head->ready, now), read_ports_);
  if (head->ready == now && head->tag > grant.output) {  // an output whose turn is still to come
    outputs_[head->tag].bids.set(grant.vc);
    due_[head->tag / 64] |= std::uint64_t{1} << head->tag % 64;
  } else {
    turns_.book(grant.vc, head->ready, now);
  }
  return release;
}

void SpedUpCrossbar::held(const CrossbarGrant& grant, Cycle now) {
  block(grant.output, grant.vc, grant.flits, now);
  outputs_[grant.output].free_at = never;
}

CrossbarRelease SpedUpCrossbar::unblock(int o, Cycle at, Cycle now) {
  const auto index = static_cast<std::size_t>(o);
  Output& output = outputs_[index];
  if (!output.blocked) return {};
  const Cycle end = end_block(index, at);
  if (output.bids.any()) turns_.book(output_turn_ + index, output.free_at, now);
  const CrossbarRelease release = leave(output.input, output.flits, end, now);
  const Access* const head = inputs_[output.input].head;
  if (head != nullptr && head->ready != never) book_head(output.input, now);
  return release;
}

}  // namespace strata
