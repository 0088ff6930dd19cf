#include "models/router_stage/crossbar_core.h"

#include <algorithm>
#include <string>

namespace strata {

CrossbarCore::CrossbarCore(const CrossbarShape& shape)
    : shape_(shape),
      vcs_(static_cast<std::size_t>(shape.vcs)),
      words_((static_cast<std::size_t>(shape.inputs) * vcs_ + 63) / 64),
      vc_(static_cast<std::size_t>(shape.inputs) * vcs_),
      outputs_(static_cast<std::size_t>(shape.outputs)),
      bids_(outputs_.size() * words_),
      input_of_(vc_.size()),
      calendar_(vc_.size(), outputs_.size()),
      entering_(vc_.size()),
      input_free_(static_cast<std::size_t>(shape.inputs)),
      accept_(static_cast<std::size_t>(shape.inputs)),
      next_vc_(static_cast<std::size_t>(shape.inputs)),
      proposal_(outputs_.size(), -1),
      grants_(outputs_.size()) {
  for (std::size_t i = 0; i < input_of_.size(); ++i) input_of_[i] = static_cast<std::uint16_t>(i / vcs_);
  reshape(shape);
}

void CrossbarCore::reshape(const CrossbarShape& shape) {
  shape_ = shape;
  gap_ = 1 - shape.credit_delay + shape.in_bubble;
}

// The VC with the most room; among equals the next in turn, so that packets which come back to back do not
// queue up behind each other. A packet keeps to its VC while it waits for room.
std::size_t CrossbarCore::choose_vc(std::size_t input, Cycle at) {
  const std::size_t first = input * vcs_;
  const auto count = static_cast<std::size_t>(shape_.vcs);
  std::size_t best = first;
  int least = 1 << 30;
  for (std::size_t k = 0, turn = next_vc_[input]; k < count; ++k, ++turn) {
    if (turn >= count) turn = 0;
    const InputVc& vc = vc_[first + turn];
    const int draining =
        vc.drain_last > at ? static_cast<int>(std::min<Cycle>(vc.drain_last - at, vc.drain_len)) : 0;
    if (vc.queued + draining < least) {
      least = vc.queued + draining;
      best = first + turn;
    }
  }
  next_vc_[input] = static_cast<std::uint8_t>(best - first + 1);
  return best;
}

// The functions that every packet passes are inlined into their few callers: their calls cost as much as
// their work.

[[gnu::always_inline]] inline Cycle CrossbarCore::start_head(InputVc& vc, std::size_t index, Cycle not_before,
                                                             Cycle now) {
  Access& head = *vc.head;
  if (head.ready < not_before) head.ready = not_before;
  vc.output = head.tag;
  return calendar_.book_input(index, head.ready, now);
}

[[gnu::always_inline]] inline void CrossbarCore::bid(std::size_t index, std::uint64_t* due_outputs,
                                                     Cycle now) {
  InputVc& vc = vc_[index];
  Cycle ready = vc.head->ready;
  if (vcs_ > 1) ready = std::max(ready, input_free_[input_of_[index]]);
  if (ready > now) {  // beyond the calendar's horizon, or the input is passing another VC's packet
    calendar_.book_input(index, ready, now);
    return;
  }
  const std::size_t output = vc.output;
  vc.state |= bidding;
  bids_[output * words_ + index / 64] |= std::uint64_t{1} << (index % 64);
  ++outputs_[output].bids;
  due_outputs[output / 64] |= std::uint64_t{1} << (output % 64);
}

// Round robin: the first bidder from the pointer on. There is one.
[[gnu::always_inline]] inline std::size_t CrossbarCore::pick(const Output& output, std::size_t index) const {
  const std::uint64_t* bids = &bids_[index * words_];
  std::size_t word = output.pointer / 64;
  std::uint64_t bits = bids[word] & ~std::uint64_t{0} << (output.pointer % 64);
  while (bits == 0) {  // comes back to the pointer's word, whose lower bits are left then
    if (++word == words_) word = 0;
    bits = bids[word];
  }
  return word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
}

// The head of a VC goes to output `o`. Its VC is stuck until sent() or unblock() knows when the tail leaves.
[[gnu::always_inline]] inline void CrossbarCore::take(std::size_t o, std::size_t index) {
  Output& output = outputs_[o];
  InputVc& vc = vc_[index];
  Access& access = *vc.head;
  vc.head = access.next;
  access.next = nullptr;
  vc.state = stuck;
  bids_[o * words_ + index / 64] &= ~(std::uint64_t{1} << (index % 64));
  if (--output.bids != 0) ++counters_.conflicts;
  output.pointer = static_cast<std::uint16_t>(index + 1 == vc_.size() ? 0 : index + 1);
  const int flits = access.flits;
  grants_[grant_count_++] = {&access, static_cast<std::uint16_t>(index), static_cast<std::uint16_t>(o),
                             flits};
  ++counters_.packets_out;
  counters_.flits_out += static_cast<std::uint64_t>(flits);
  output.busy += static_cast<std::uint64_t>(flits);
}

CrossbarCore::Entry CrossbarCore::arrive(Access& access, int input, int output, Cycle at, Cycle now) {
  return enter<false>(access, input, output, at, now);
}

CrossbarCore::Entry CrossbarCore::force(Access& access, int input, int output, Cycle at, Cycle now) {
  return enter<true>(access, input, output, at, now);
}

template <bool forced>
inline CrossbarCore::Entry CrossbarCore::enter(Access& access, int input, int output, Cycle at, Cycle now) {
  const std::size_t index =
      vcs_ == 1 ? static_cast<std::size_t>(input) : choose_vc(static_cast<std::size_t>(input), at);
  InputVc& vc = vc_[index];
  const int flits = access.flits;
  const int draining =
      vc.drain_last > at ? static_cast<int>(std::min<Cycle>(vc.drain_last - at, vc.drain_len)) : 0;
  const int free = shape_.vc_flits - vc.queued - draining;
  ++counters_.packets_in;
  counters_.flits_in += static_cast<std::uint64_t>(flits);
  counters_.occupancy.add(vc.queued + static_cast<std::uint64_t>(draining));

  access.tag = static_cast<std::uint16_t>(output);
  access.ready = at + static_cast<Cycle>(shape_.enter);
  access.next = nullptr;
  const bool first = vc.head == nullptr;
  if (first)
    vc.head = &access;
  else
    vc.tail->next = &access;
  vc.tail = &access;

  Entry entry{at + static_cast<Cycle>(flits), never};
  if (forced || free >= flits) {
    vc.queued = static_cast<std::uint16_t>(vc.queued + flits);
  } else {
    vc.drain_len = static_cast<std::uint8_t>(draining);
    entry = squeeze_in(vc, index, access, std::max(free, 0), at);
  }
  if (first && (vc.state & stuck) == 0 && access.ready != never) {
    // The gap is negative when credits take longer than the bubble; nothing has drained yet when drain_last
    // is 0.
    const auto not_before = static_cast<std::int64_t>(vc.drain_last) + gap_;
    entry.due = start_head(vc, index, not_before > 0 ? static_cast<Cycle>(not_before) : 0, now);
  }
  return entry;
}

// A packet that finds too few slots: it takes the free ones, then those of the packet that is leaving, and is
// owed the rest.
CrossbarCore::Entry CrossbarCore::squeeze_in(InputVc& vc, std::size_t index, Access& access, int free,
                                             Cycle at) {
  const int flits = access.flits;
  const int wanted = flits - free;
  const int given = std::min<int>(wanted, vc.drain_len);
  const Cycle first_slot = vc.drain_last + 1 - vc.drain_len;
  const Cycle head = free > 0 ? at : first_slot;
  Cycle end = head + static_cast<Cycle>(flits);
  if (given > 0) end = std::max(end, first_slot + static_cast<Cycle>(given));
  vc.drain_len = static_cast<std::uint8_t>(vc.drain_len - given);
  vc.queued = static_cast<std::uint16_t>(vc.queued + free + given);
  vc.owed = static_cast<std::uint16_t>(wanted - given);
  const bool head_waits = free + given == 0;
  access.ready = head_waits ? never : head + static_cast<Cycle>(shape_.enter);
  if (vc.owed == 0) return {end, never};
  ++counters_.held;
  entering_[index] = {&access, head_waits ? at : end, head_waits};
  return {never, never};
}

// One iteration of iSLIP: every free output proposes a VC, every input accepts one proposal, the others try
// again in the next cycle. With one VC an input has one bid only and never has to choose.
void CrossbarCore::match(const std::uint64_t* due, Cycle now) {
  const std::size_t outputs = outputs_.size();
  std::vector<std::int32_t>& proposal = proposal_;
  for (std::size_t word = 0; word < calendar_.output_words(); ++word) {
    for (std::uint64_t bits = due[word]; bits != 0; bits &= bits - 1) {
      const std::size_t o = word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
      const Output& output = outputs_[o];
      if (output.blocked != 0 || output.bids == 0 || output.free_at > now) continue;
      const std::size_t vc = pick(output, o);
      proposal[o] = static_cast<std::int32_t>(vc);
      // accept: among the proposals to this input the first output from its pointer on
      const std::size_t input = input_of_[vc];
      const auto distance = [&](std::size_t candidate) {
        return candidate >= accept_[input] ? candidate - accept_[input]
                                           : candidate + outputs - accept_[input];
      };
      if (input_free_[input] > now) {  // marked by an earlier proposal of this cycle
        const std::size_t rival = static_cast<std::size_t>(input_free_[input] - now - 1);
        if (distance(rival) < distance(o)) {
          proposal[o] = -1;
          calendar_.book_output(o, now + 1, now);
          continue;
        }
        proposal[rival] = -1;
        calendar_.book_output(rival, now + 1, now);
      }
      input_free_[input] = now + 1 + o;  // names the winner until serve() sets the real cycle
    }
  }
}

// An input passes one packet at a time: the bids of its other VCs come back when it is free.
void CrossbarCore::withdraw_siblings(std::size_t index, Cycle now) {
  const std::size_t input = input_of_[index];
  for (std::size_t i = input * vcs_; i < (input + 1) * vcs_; ++i) {
    InputVc& vc = vc_[i];
    if ((vc.state & bidding) == 0) continue;
    vc.state = static_cast<std::uint8_t>(vc.state & ~bidding);
    bids_[vc.output * words_ + i / 64] &= ~(std::uint64_t{1} << (i % 64));
    --outputs_[vc.output].bids;
    calendar_.book_input(i, input_free_[input], now);
  }
}

[[gnu::always_inline]] inline void CrossbarCore::serve(std::size_t o, Cycle now) {
  const Output& output = outputs_[o];
  if (output.blocked != 0 || output.bids == 0) return;  // unblock() books it again
  if (output.free_at > now) {
    calendar_.book_output(o, output.free_at, now);
    return;
  }
  if (vcs_ == 1) {
    take(o, pick(output, o));
    return;
  }
  if (proposal_[o] < 0) return;
  const auto vc = static_cast<std::size_t>(proposal_[o]);
  const std::size_t input = input_of_[vc];
  proposal_[o] = -1;
  take(o, vc);
  accept_[input] = static_cast<std::uint16_t>(o + 1 == outputs_.size() ? 0 : o + 1);
  input_free_[input] =
      now + static_cast<Cycle>((grants_[grant_count_ - 1].flits + shape_.speedup - 1) / shape_.speedup);
  withdraw_siblings(vc, now);
}

std::size_t CrossbarCore::arbitrate(Cycle now) {
  grant_count_ = 0;
  std::uint64_t* due = calendar_.take(now);
  if (due == nullptr) return 0;
  const std::size_t vc_words = calendar_.input_words();
  std::uint64_t* outputs = due + vc_words;
  for (std::size_t word = 0; word < vc_words; ++word) {
    std::uint64_t bits = due[word];
    due[word] = 0;
    for (; bits != 0; bits &= bits - 1)
      bid(word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits)), outputs, now);
  }
  if (vcs_ > 1) match(outputs, now);
  for (std::size_t word = 0; word < calendar_.output_words(); ++word) {
    std::uint64_t bits = outputs[word];
    outputs[word] = 0;
    for (; bits != 0; bits &= bits - 1)
      serve(word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits)), now);
  }
  return grant_count_;
}

// The last packet of a VC leaves, its tail in cycle `end` - 1: slots come back, the next packet gets its
// turn.
[[gnu::always_inline]] inline CrossbarCore::Release CrossbarCore::leave(std::size_t index, int flits,
                                                                        Cycle end, Cycle now) {
  InputVc& vc = vc_[index];
  Release release;
  vc.state = 0;
  vc.queued = static_cast<std::uint16_t>(vc.queued - flits);
  vc.drain_last = end - 1 + static_cast<Cycle>(shape_.credit_delay);
  vc.drain_len = static_cast<std::uint8_t>(flits);
  if (vc.owed != 0) use_owed(vc, index, flits, now, release);
  if (vc.head != nullptr && vc.head->ready != never)
    start_head(vc, index, end + static_cast<Cycle>(shape_.in_bubble), now);
  return release;
}

// The slots of a leaving packet go to the one that is entering.
void CrossbarCore::use_owed(InputVc& vc, std::size_t index, int flits, Cycle now, Release& release) {
  Entering& entering = entering_[index];
  const int given = std::min<int>(vc.owed, flits);
  const Cycle first_slot = std::max(vc.drain_last + 1 - static_cast<Cycle>(flits), now);
  if (entering.head_waits) {
    Access& access = *entering.access;
    const Cycle head = std::max(first_slot, entering.end);
    access.ready = head + static_cast<Cycle>(shape_.enter);
    entering.end = head + access.flits;
    entering.head_waits = false;
  }
  entering.end = std::max(entering.end, vc.drain_last + 1 - static_cast<Cycle>(flits - given));
  vc.drain_len = static_cast<std::uint8_t>(flits - given);
  vc.queued = static_cast<std::uint16_t>(vc.queued + given);
  vc.owed = static_cast<std::uint16_t>(vc.owed - given);
  if (vc.owed == 0) release = {input_of_[index], entering.end};
}

CrossbarCore::Release CrossbarCore::sent(const Grant& grant, Cycle at, Cycle now) {
  Output& output = outputs_[static_cast<std::size_t>(grant.output)];
  const Cycle end = std::max(at, now + static_cast<Cycle>(grant.flits));
  output.free_at = end + static_cast<Cycle>(shape_.out_bubble);
  if (output.bids != 0) calendar_.book_output(static_cast<std::size_t>(grant.output), output.free_at, now);
  Cycle left = end;
  if (shape_.speedup > 1 && at <= now + static_cast<Cycle>(grant.flits))
    left = now + static_cast<Cycle>((grant.flits + shape_.speedup - 1) / shape_.speedup);
  return leave(static_cast<std::size_t>(grant.vc), grant.flits, left, now);
}

void CrossbarCore::held(const Grant& grant, Cycle now) {
  Output& output = outputs_[static_cast<std::size_t>(grant.output)];
  output.blocked = 1;
  output.blocked_since = now;
  output.vc = static_cast<std::uint16_t>(grant.vc);
  output.flits = static_cast<std::uint8_t>(grant.flits);
  ++counters_.blocked;
}

CrossbarCore::Release CrossbarCore::unblock(int o, Cycle at, Cycle now) {
  Output& output = outputs_[static_cast<std::size_t>(o)];
  if (output.blocked == 0) return {};
  output.blocked = 0;
  const Cycle end = std::max(at, output.blocked_since + output.flits);
  counters_.blocked_cycles += end - output.blocked_since - output.flits;
  output.free_at = end + static_cast<Cycle>(shape_.out_bubble);
  if (output.bids != 0) calendar_.book_output(static_cast<std::size_t>(o), output.free_at, now);
  return leave(output.vc, output.flits, end, now);
}

int CrossbarCore::queued_flits(int input) const {
  int flits = 0;
  for (std::size_t i = 0; i < vcs_; ++i) flits += vc_[static_cast<std::size_t>(input) * vcs_ + i].queued;
  return flits;
}

const Access* CrossbarCore::oldest_for(int output) const {
  const Access* oldest = nullptr;
  for (const InputVc& vc : vc_)
    if (vc.head != nullptr && vc.output == output && (oldest == nullptr || vc.head->birth < oldest->birth))
      oldest = vc.head;
  return oldest;
}

bool CrossbarCore::drained() const {
  for (const InputVc& vc : vc_)
    if (vc.head != nullptr || vc.queued != 0 || vc.owed != 0) return false;
  return true;
}

void CrossbarCore::reset_counters() {
  counters_ = {};
  for (Output& output : outputs_) output.busy = 0;
}

void CrossbarCore::check_idle(Faults& faults, const char* network) const {
  const auto fault = [&](const std::string& text) {
    faults.push_back({{}, std::string(network) + " network: " + text});
  };
  for (std::size_t i = 0; i < vc_.size(); ++i) {
    const std::string where = "input " + std::to_string(i / vcs_) + " VC " + std::to_string(i % vcs_);
    if (vc_[i].head != nullptr) fault(where + " holds packets");
    if (vc_[i].queued != 0) fault(where + " lacks " + std::to_string(vc_[i].queued) + " credits");
    if (vc_[i].owed != 0) fault(where + " holds up its sender");
  }
  for (std::size_t o = 0; o < outputs_.size(); ++o) {
    if (outputs_[o].blocked != 0) fault("output " + std::to_string(o) + " is blocked by the next hop");
    if (outputs_[o].bids != 0) fault("output " + std::to_string(o) + " has bids");
  }
}

}  // namespace strata
