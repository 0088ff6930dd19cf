#include "tb/property/register_sm.h"

namespace strata::tb {

bool RegisterSm::returns(const WarpInstruction& i) {
  if (i.op == OpClass::atomic) return i.destination != no_register || i.first_use != 0;
  return i.op == OpClass::load || i.op == OpClass::read_only_load;
}

void RegisterSm::set(const WarpInstruction& i, Cycle time) {
  for (int r = i.destination; r < i.destination + i.destination_count && r < no_register; ++r)
    ready_[static_cast<std::size_t>(r)] = time;
}

void RegisterSm::end(std::size_t place) {
  const WarpInstruction& i = at(loads_[place].index);
  if (i.first_use == 0) set(i, 0);
  loads_.erase(loads_.begin() + static_cast<std::ptrdiff_t>(place));
}

void RegisterSm::take_replies(Cycle now) {
  for (std::size_t i = 0; i < loads_.size();) {
    const Load& load = loads_[i];
    const auto due = [=](Cycle answer) { return answer < now; };
    if (load.lines_left == 0 && !load.answers.empty() &&
        std::all_of(load.answers.begin(), load.answers.end(), due))
      end(i);
    else
      ++i;
  }
}

std::size_t RegisterSm::load_of(std::size_t index) const {
  const auto same = [=](const Load& load) { return load.index == index; };
  return static_cast<std::size_t>(std::find_if(loads_.begin(), loads_.end(), same) - loads_.begin());
}

void RegisterSm::send(Cycle now) {
  while (!queue_.empty() && queue_.front().entered < now && queue_.front().lines.count == 0) {
    const std::size_t load = load_of(queue_.front().index);
    if (load < loads_.size()) end(load);
    queue_.pop_front();
  }
  if (queue_.empty() || queue_.front().entered >= now) return;
  Queued& head = queue_.front();
  const LineAccess& line = head.lines.lines[static_cast<std::size_t>(head.sent++)];
  lines.push_back({now, line.line, line.sectors});
  const std::size_t load = load_of(head.index);
  if (load < loads_.size()) {
    loads_[load].answers.push_back(now + latency_);
    --loads_[load].lines_left;
  }
  if (head.sent == head.lines.count) queue_.pop_front();
}

std::array<int, 7> RegisterSm::on_units(const WarpInstruction& i) {
  std::array<int, 7> on{};
  int left = i.weight != 0 ? i.weight : 1;
  for (std::size_t k = 0; k < 4 && i.op != OpClass::sfu; ++k) {
    on[1 + k] = std::min<int>(left, i.units[k]);
    left -= on[1 + k];
  }
  on[i.op == OpClass::sfu ? 5 : i.op == OpClass::alu ? 0 : 6] = left;
  return on;
}

bool RegisterSm::units_free(const WarpInstruction& i, Cycle now) {
  const std::array<int, 7> on = on_units(i);
  for (std::size_t unit = 0; unit < 6; ++unit)
    if (on[unit] != 0 && *earliest(unit) > now) return false;
  return true;
}

Cycle RegisterSm::begin_on_units(const WarpInstruction& i, Cycle now, Cycle last_slot) {
  const std::array<int, 7> on = on_units(i);
  const auto alu = static_cast<Cycle>(params_.alu_latency);
  Cycle result = on[6] != 0 ? last_slot + alu : 0;
  for (std::size_t unit = 0; unit < 6; ++unit) {
    const UnitParams& its = *params_.units()[unit];
    for (int n = 0; n < on[unit]; ++n) {
      Cycle* const free = earliest(unit);
      const Cycle start = std::max(*free, now + static_cast<Cycle>(n));
      *free = start + static_cast<Cycle>(its.interval);
      result = std::max(
          result, std::max(start, last_slot) + (its.latency != 0 ? static_cast<Cycle>(its.latency) : alu));
    }
  }
  return result;
}

bool RegisterSm::can_issue(const WarpInstruction& i, Cycle now) {
  if (now < free_ || now < buffered_from_) return false;
  for (const std::uint8_t source : i.sources)
    if (!usable(source, now)) return false;
  for (int r = i.destination; r <= i.destination || r < i.destination + i.destination_count; ++r)
    if (r <= no_register && !usable(r, now)) return false;
  for (const Load& load : loads_)
    if (at(load.index).first_use != 0 && load.index + at(load.index).first_use <= next_) return false;
  if (!touches_memory(i)) return units_free(i, now);
  if (touches_shared_memory(i.op)) return now >= shared_free_;
  if (!touches_global_memory(i.op)) return true;
  return queue_.size() < static_cast<std::size_t>(params_.lsu_depth) &&
         (!returns(i) || loads_.size() < static_cast<std::size_t>(params_.loads_per_warp));
}

void RegisterSm::issue(Cycle now) {
  const WarpInstruction& i = at(next_);
  if (!can_issue(i, now)) return;
  issues.push_back(now);
  const auto times = static_cast<Cycle>(i.weight != 0 ? i.weight : 1);
  const Cycle slots = i.op == OpClass::alu ? times * static_cast<Cycle>(params_.alu_interval) : times;
  free_ = now + slots;
  for (Cycle n = 0; n < times && params_.instruction_buffer != 0; ++n) {
    if (++fetched_ % params_.instruction_buffer != 0) continue;
    buffered_from_ = std::max(buffered_from_, free_) + static_cast<Cycle>(params_.fetch_bubble);
  }
  if (touches_global_memory(i.op)) {
    queue_.push_back({next_, now, {}, 0});
    coalesce(i, cta_, static_cast<unsigned>(params_.line.count), queue_.back().lines);
    if (returns(i)) {
      loads_.push_back({next_, {}, static_cast<std::size_t>(queue_.back().lines.count)});
      if (i.first_use == 0) set(i, never);
    }
  } else if (touches_shared_memory(i.op)) {
    const auto extra = static_cast<Cycle>(std::max(shared_passes(i, cta_).cycles, 1) - 1);
    shared_free_ = now + 1 + extra;
    set(i, now + extra + static_cast<Cycle>(params_.shared_latency));
  } else {
    set(i, begin_on_units(i, now, now + slots - 1));
  }
  ++next_;
}

}  // namespace strata::tb
