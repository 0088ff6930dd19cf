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
      proposal_(outputs_.size(), -1) {
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

CrossbarCore::Entry CrossbarCore::arrive(Access& access, int input, int output, Cycle at, Cycle now,
                                         bool forced) {
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

  Entry entry{true, at + static_cast<Cycle>(flits), never};
  if (free >= flits || forced) {
    vc.queued = static_cast<std::uint16_t>(vc.queued + flits);
  } else {
    vc.drain_len = static_cast<std::uint8_t>(draining);
    entry = squeeze_in(vc, index, access, std::max(free, 0), at);
  }
  if (first && (vc.state & stuck) == 0 && access.ready != never) {
    // The gap is negative when credits take longer than the bubble; nothing has drained yet when drain_last
    // is 0.
    const auto not_before = static_cast<std::int64_t>(vc.drain_last) + gap_;
    start_head(vc, index, not_before > 0 ? static_cast<Cycle>(not_before) : 0, now);
    entry.due = calendar_.next(now);
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
  if (vc.owed == 0) return {true, end, never};
  ++counters_.held;
  entering_[index] = {&access, head_waits ? at : end, head_waits};
  return {false, 0, never};
}

void CrossbarCore::start_head(InputVc& vc, std::size_t index, Cycle not_before, Cycle now) {
  Access& head = *vc.head;
  if (head.ready < not_before) head.ready = not_before;
  vc.output = head.tag;
  calendar_.book_vc(index, head.ready, now);
}

void CrossbarCore::begin(Cycle now) {
  if (!calendar_.take(now)) return;
  const std::uint64_t* due = calendar_.due_vcs();
  for (std::size_t word = 0; word < calendar_.vc_words(); ++word) {
    for (std::uint64_t bits = due[word]; bits != 0; bits &= bits - 1)
      bid(word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits)), now);
  }
  if (vcs_ > 1) match(now);
}

void CrossbarCore::bid(std::size_t index, Cycle now) {
  InputVc& vc = vc_[index];
  Cycle ready = vc.head->ready;
  if (vcs_ > 1) ready = std::max(ready, input_free_[input_of_[index]]);
  if (ready > now) {  // beyond the calendar's horizon, or the input is passing another VC's packet
    calendar_.book_vc(index, ready, now);
    return;
  }
  vc.state |= bidding;
  bids_[vc.output * words_ + index / 64] |= std::uint64_t{1} << (index % 64);
  ++outputs_[vc.output].bids;
  calendar_.due_outputs()[vc.output / 64] |= std::uint64_t{1} << (vc.output % 64);
}

// Round robin: the first bidder from the pointer on.
int CrossbarCore::pick(const Output& output, std::size_t index) const {
  const std::uint64_t* bids = &bids_[index * words_];
  const std::size_t start = output.pointer / 64;
  const std::uint64_t upper = ~std::uint64_t{0} << (output.pointer % 64);
  if ((bids[start] & upper) != 0) return static_cast<int>(start) * 64 + __builtin_ctzll(bids[start] & upper);
  for (std::size_t i = 1; i <= words_; ++i) {
    const std::size_t word = start + i < words_ ? start + i : start + i - words_;
    if (bids[word] != 0) return static_cast<int>(word) * 64 + __builtin_ctzll(bids[word]);
  }
  return -1;
}

// One iteration of iSLIP: every free output proposes a VC, every input accepts one proposal, the others try
// again in the next cycle. With one VC an input has one bid only and never has to choose.
void CrossbarCore::match(Cycle now) {
  std::uint64_t* due = calendar_.due_outputs();
  const std::size_t outputs = outputs_.size();
  std::vector<std::int32_t>& proposal = proposal_;
  for (std::size_t word = 0; word < calendar_.output_words(); ++word) {
    for (std::uint64_t bits = due[word]; bits != 0; bits &= bits - 1) {
      const std::size_t o = word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
      const Output& output = outputs_[o];
      if (output.blocked != 0 || output.bids == 0 || output.free_at > now) continue;
      const int vc = pick(output, o);
      proposal[o] = vc;
      // accept: among the proposals to this input the first output from its pointer on
      const std::size_t input = input_of_[static_cast<std::size_t>(vc)];
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
      input_free_[input] = now + 1 + o;  // names the winner until next_grant() sets the real cycle
    }
  }
}

bool CrossbarCore::next_grant(Cycle now, Grant& grant) {
  std::uint64_t* due = calendar_.due_outputs();
  for (std::size_t word = 0; word < calendar_.output_words(); ++word) {
    while (due[word] != 0) {
      const std::size_t o = word * 64 + static_cast<std::size_t>(__builtin_ctzll(due[word]));
      due[word] &= due[word] - 1;
      Output& output = outputs_[o];
      if (output.blocked != 0 || output.bids == 0) continue;  // unblock() books it again
      if (output.free_at > now) {
        calendar_.book_output(o, output.free_at, now);
        continue;
      }
      int vc;
      if (vcs_ == 1) {
        vc = pick(output, o);
      } else {
        vc = proposal_[o];
        proposal_[o] = -1;
        if (vc < 0) continue;
      }
      take(o, static_cast<std::size_t>(vc), grant);
      if (vcs_ > 1) {
        accept_[static_cast<std::size_t>(grant.input)] =
            static_cast<std::uint16_t>(o + 1 == outputs_.size() ? 0 : o + 1);
        input_free_[static_cast<std::size_t>(grant.input)] =
            now + static_cast<Cycle>((grant.flits + shape_.speedup - 1) / shape_.speedup);
        withdraw_siblings(static_cast<std::size_t>(vc), now);
      }
      return true;
    }
  }
  return false;
}

void CrossbarCore::take(std::size_t o, std::size_t index, Grant& grant) {
  Output& output = outputs_[o];
  InputVc& vc = vc_[index];
  Access& access = *vc.head;
  vc.head = access.next;
  access.next = nullptr;
  vc.state = static_cast<std::uint8_t>(vc.state & ~bidding);
  bids_[o * words_ + index / 64] &= ~(std::uint64_t{1} << (index % 64));
  if (--output.bids != 0) ++counters_.conflicts;
  output.pointer = static_cast<std::uint16_t>(index + 1 == vc_.size() ? 0 : index + 1);
  grant.access = &access;
  grant.vc = static_cast<int>(index);
  grant.input = input_of_[index];
  grant.output = static_cast<int>(o);
  grant.flits = access.flits;
  ++counters_.packets_out;
  counters_.flits_out += static_cast<std::uint64_t>(grant.flits);
  output.busy += static_cast<std::uint64_t>(grant.flits);
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
    calendar_.book_vc(i, input_free_[input], now);
  }
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
  vc_[static_cast<std::size_t>(grant.vc)].state |= stuck;
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

// The last packet of a VC leaves, its tail in cycle `end` - 1: slots come back, the next packet gets its
// turn.
CrossbarCore::Release CrossbarCore::leave(std::size_t index, int flits, Cycle end, Cycle now) {
  InputVc& vc = vc_[index];
  Release release;
  vc.state = static_cast<std::uint8_t>(vc.state & ~stuck);
  vc.queued = static_cast<std::uint16_t>(vc.queued - flits);
  vc.drain_last = end - 1 + static_cast<Cycle>(shape_.credit_delay);
  vc.drain_len = static_cast<std::uint8_t>(flits);
  if (vc.owed != 0) {
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
  if (vc.head != nullptr && vc.head->ready != never)
    start_head(vc, index, end + static_cast<Cycle>(shape_.in_bubble), now);
  return release;
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
