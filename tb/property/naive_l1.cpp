#include "tb/property/naive_l1.h"

namespace strata::tb {
namespace {

Sectors but(const Sectors& some, const Sectors& without) {
  Sectors left = some;
  for (std::size_t i = 0; i < left.size(); ++i)
    if (without[i]) left[i] = false;
  return left;
}
bool any(const Sectors& sectors) {
  for (const bool one : sectors)
    if (one) return true;
  return false;
}

}  // namespace

Sectors NaiveL1::Register::under_way(int sectors) const {
  Sectors all(static_cast<std::size_t>(sectors));
  for (const auto& [fetch, some] : fetches)
    for (std::size_t i = 0; i < all.size(); ++i)
      if (some[i]) all[i] = true;
  return all;
}

NaiveL1::Answer NaiveL1::load(std::uint64_t line, Sectors asked, int access, bool room) {
  if (rules_.whole_lines) asked.assign(asked.size(), true);
  Sectors missing = asked;
  for (std::size_t i = 0; i < asked.size(); ++i)
    if (store_.present(line, static_cast<int>(i))) missing[i] = false;
  if (!any(missing)) {
    store_.use(line, asked);
    return {L1Outcome::hit};
  }
  const auto known = registers_.find(line);
  const bool open = known != registers_.end() && !known->second.stale;
  if (known != registers_.end() && !open)
    return room ? Answer{L1Outcome::forward} : Answer{L1Outcome::stall, L1Stall::miss_queue};
  if (open && known->second.joined == rules_.merges) return {L1Outcome::stall, L1Stall::merge_limit};
  const Sectors fresh = open ? but(missing, known->second.under_way(rules_.line_sectors)) : missing;
  if (!any(fresh)) {
    store_.use(line, asked);
    ++known->second.joined;
    known->second.waiters.push_back({access, missing});
    return {L1Outcome::miss_merged};
  }
  if (!open && static_cast<int>(registers_.size()) == rules_.mshrs)
    return {L1Outcome::stall, L1Stall::mshr_full};
  if (!room) return {L1Outcome::stall, L1Stall::miss_queue};
  if (!store_.reserve(line, asked, fresh)) return {L1Outcome::stall, L1Stall::set_full};
  Register& taken = registers_[line];
  ++taken.joined;
  taken.waiters.push_back({access, missing});
  taken.fetches[fetches_] = fresh;
  return {L1Outcome::miss_new, L1Stall::none, fresh, fetches_++};
}

NaiveL1::Answer NaiveL1::pass(std::uint64_t line, const Sectors& sectors, bool writes, bool room) {
  if (!room) return {L1Outcome::stall, L1Stall::miss_queue};
  const Sectors gone = rules_.evict_sectors ? sectors : Sectors(sectors.size(), true);
  Sectors here(gone.size());
  for (std::size_t i = 0; i < gone.size(); ++i)
    here[i] = gone[i] && store_.present(line, static_cast<int>(i));
  store_.drop(line, here);
  const auto known = registers_.find(line);
  if (writes && known != registers_.end() && !known->second.stale) {
    const Sectors coming = known->second.under_way(rules_.line_sectors);
    if (any(but(coming, but(coming, gone)))) {
      store_.drop(line, coming);
      known->second.stale = true;
    }
  }
  return {L1Outcome::forward};
}

std::vector<int> NaiveL1::fill(int fetch) {
  for (auto& [line, reg] : registers_) {
    const auto found = reg.fetches.find(fetch);
    if (found == reg.fetches.end()) continue;
    const Sectors sectors = found->second;
    reg.fetches.erase(found);
    if (!reg.stale) store_.arrive(line, sectors);
    std::vector<int> leave;
    std::vector<Waiter> stay;
    for (Waiter& waiter : reg.waiters) {
      waiter.missing = but(waiter.missing, sectors);
      if (any(waiter.missing))
        stay.push_back(waiter);
      else
        leave.push_back(waiter.access);
    }
    reg.waiters = stay;
    if (reg.fetches.empty()) registers_.erase(line);
    return leave;
  }
  return {-1};
}

void NaiveL1::flush() {
  store_.clear();
  for (auto& [line, reg] : registers_) reg.stale = true;
}

}  // namespace strata::tb
