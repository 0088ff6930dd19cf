#include "tb/property/naive_controller.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace strata::tb {
namespace {

class NaiveController {
 public:
  NaiveController(const MemoryControllerParams& params, const std::vector<ReplayRequest>& requests)
      : p_(params), t_(params.timing), requests_(requests), rules_(dram_rules(params.timing)) {
    result_.replies.resize(requests.size());
    if (p_.refresh != RefreshPolicy::none) due_ = interval();
    for (const DramRule& rule : rules_)
      reach_[rule.next] = std::max(reach_[rule.next], static_cast<Cycle>(rule.distance));
  }

  ReplayResult run() {
    for (Cycle now = 0; next_ < requests_.size() || !reads_.empty() || !writes_.empty() || !active_.empty();
         ++now) {
      if (t_.command_bus == CommandBus::dual) {
        pick(now, Lane::column);
        pick(now, Lane::row);
      } else {
        pick(now, Lane::any);
      }
      accept(now);
    }
    return std::move(result_);
  }

 private:
  enum class Lane { any, column, row };
  using Queue = std::deque<std::size_t>;  // indices of requests, oldest first
  struct Pick {
    std::size_t request;
    DramCommand command;
  };

  int bank_of(std::size_t i) const {
    return requests_[i].bank_group * t_.banks_per_group + requests_[i].bank;
  }

  DramCommand wanted(std::size_t i) const {
    const auto row = open_.find(bank_of(i));
    if (row == open_.end()) return DramCommand::act;
    if (row->second != requests_[i].row) return DramCommand::pre;
    return requests_[i].write ? DramCommand::wr : DramCommand::rd;
  }

  bool ready(DramCommand command, int bank, Cycle now) const {
    const Cycle reach = reach_.at(command);
    int activates = 0;
    for (auto past = result_.commands.rbegin(); past != result_.commands.rend(); ++past) {
      const Cycle gap = now - past->cycle;
      if (gap > reach) break;
      const int other = past->bank_group * t_.banks_per_group + past->bank;
      if (past->command == DramCommand::act) ++activates;
      for (const DramRule& rule : rules_) {
        if (rule.next != command || rule.previous != past->command) continue;
        const bool applies = rule.scope == RuleScope::bank     ? other == bank
                             : rule.scope == RuleScope::group  ? past->bank_group == bank / t_.banks_per_group
                             : rule.scope == RuleScope::window ? activates == 4
                                                               : true;
        if (applies && gap < static_cast<Cycle>(rule.distance)) return false;
      }
    }
    return true;
  }

  // A request that has waited beyond the cap is no longer passed by row hits of its bank.
  bool overdue(std::size_t i, Cycle now) const {
    return p_.starvation_cap != 0 && now > result_.replies[i].accept + static_cast<Cycle>(p_.starvation_cap);
  }
  // Whether the scheduler lets row hits of a bank pass its oldest request.
  bool lets_pass(int bank) const {
    if (p_.scheduler == DramOrder::fcfs) return false;
    const auto passed = passed_.find(bank);
    return p_.scheduler == DramOrder::fr_fcfs || passed == passed_.end() || passed->second < p_.row_hit_cap;
  }
  std::size_t first_of_bank(const Queue& queue, int bank) const {
    return *std::find_if(queue.begin(), queue.end(), [&](std::size_t i) { return bank_of(i) == bank; });
  }
  // Of one queue for both, the row hits of a bank go in order of age, be they reads or writes.
  bool has_older_hit(std::size_t i, const Queue& queue) const {
    for (const std::size_t other : queue)
      if (other < i && bank_of(other) == bank_of(i) && is_column(wanted(other))) return true;
    return false;
  }
  bool overtakes(std::size_t i, const Queue& queue, Cycle now) const {
    const std::size_t first = first_of_bank(queue, bank_of(i));
    return first != i && !is_column(wanted(first)) && (overdue(first, now) || !lets_pass(bank_of(i)));
  }

  bool may_close(std::size_t for_request, const Queue& queue, Cycle now) const {
    const int bank = bank_of(for_request);
    if (owned(bank)) return false;
    if (first_of_bank(queue, bank) == for_request && (overdue(for_request, now) || !lets_pass(bank)))
      return true;
    for (const std::size_t i : queue)
      if (bank_of(i) == bank && is_column(wanted(i))) return false;
    return true;
  }

  std::optional<Pick> best(const Queue& queue, Cycle now, Lane lane) const {
    std::optional<Pick> found;
    for (const std::size_t i : queue) {
      const DramCommand command = wanted(i);
      if (&queue != &active_ && claimed(bank_of(i))) continue;
      if (lane != Lane::any && is_column(command) != (lane == Lane::column)) continue;
      if (!ready(command, bank_of(i), now)) continue;
      if (command == DramCommand::pre && !may_close(i, queue, now)) continue;
      if (&queue != &active_ && is_column(command) && overtakes(i, queue, now)) continue;
      if (p_.shared_queue != 0 && is_column(command) && has_older_hit(i, queue)) continue;
      if (!found || (is_column(command) && !is_column(found->command))) found = Pick{i, command};
    }
    return found;
  }

  // Refresh: all banks every nREFI, or bank after bank, group by group, every nREFI / banks.
  bool by_bank() const { return p_.refresh == RefreshPolicy::per_bank; }
  Cycle interval() const { return static_cast<Cycle>(t_.nREFI / (by_bank() ? t_.banks() : 1)); }
  int refresh_bank() const {
    return by_bank() ? turn_ % t_.bank_groups * t_.banks_per_group + turn_ / t_.bank_groups : 0;
  }
  bool claimed(int bank) const { return claiming_ && (!by_bank() || bank == refresh_bank()); }
  bool owned(int bank) const {
    return std::any_of(active_.begin(), active_.end(), [&](std::size_t i) { return bank_of(i) == bank; });
  }

  // A refresh that is due may be postponed while requests wait for its banks; when too many are owed, all are
  // made up for.
  void claim(Cycle now) {
    if (now < due_) return;
    const bool forced = now >= due_ + static_cast<Cycle>(p_.refresh_postpone) * interval();
    making_up_ = making_up_ || forced;
    bool waited_for = false;
    for (const Queue* queue : {&reads_, &writes_})
      for (const std::size_t i : *queue)
        waited_for = waited_for || !by_bank() || bank_of(i) == refresh_bank();
    claiming_ = making_up_ || !waited_for;
  }

  bool refresh(Cycle now) {
    if (!claiming_) return false;
    bool all_closed = true;
    for (int bank = 0; bank < t_.banks(); ++bank) {
      if (!claimed(bank) || open_.count(bank) == 0) continue;
      all_closed = false;
      if (owned(bank) || !ready(DramCommand::pre, bank, now)) continue;
      closed_row_.erase(bank);
      close(bank, now);
      return true;
    }
    const DramCommand command = by_bank() ? DramCommand::refpb : DramCommand::refab;
    const int bank = refresh_bank();
    if (!all_closed || !ready(command, bank, now)) return false;
    result_.commands.push_back({now, command, by_bank() ? bank / t_.banks_per_group : -1,
                                by_bank() ? bank % t_.banks_per_group : -1, -1, -1, -1});
    claiming_ = false;
    due_ += interval();
    making_up_ = making_up_ && due_ <= now + 1;
    turn_ = (turn_ + 1) % t_.banks();
    return true;
  }

  void close(int bank, Cycle now) {
    result_.commands.push_back({now, DramCommand::pre, bank / t_.banks_per_group, bank % t_.banks_per_group,
                                open_.at(bank), -1, -1});
    open_.erase(bank);
  }

  // Page policy: a row that nobody waits for, once it has not been used for a while.
  Cycle idle_close(int bank) const {
    if (p_.page_policy == PagePolicy::closed) return 0;
    const auto own = idle_close_.find(bank);
    return own == idle_close_.end() ? static_cast<Cycle>(p_.idle_close) : own->second;
  }
  void adapt(int bank, bool longer) {
    if (p_.page_policy != PagePolicy::adaptive) return;
    const Cycle next = longer ? idle_close(bank) * 2 : idle_close(bank) / 2;
    idle_close_[bank] = std::min(std::max(next, static_cast<Cycle>(p_.idle_close_min)),
                                 static_cast<Cycle>(p_.idle_close_max));
  }
  bool unwanted(int bank) const {
    if (owned(bank) || claimed(bank)) return false;
    for (const Queue* queue : {&reads_, &writes_})
      for (const std::size_t i : *queue)
        if (bank_of(i) == bank && is_column(wanted(i))) return false;
    return true;
  }
  void apply_page_policy(Cycle now) {
    if (p_.page_policy == PagePolicy::open) return;
    for (int bank = 0; bank < t_.banks(); ++bank) {
      if (open_.count(bank) == 0 || !unwanted(bank)) continue;
      if (now < last_use_[bank] + idle_close(bank) || !ready(DramCommand::pre, bank, now)) continue;
      closed_row_[bank] = open_.at(bank);
      return close(bank, now);
    }
  }

  void pick(Cycle now, Lane lane) {
    if (lane != Lane::row && !claiming_) claim(now);
    if (lane == Lane::any && refresh(now)) return;
    Queue* queue = &active_;
    std::optional<Pick> choice = best(active_, now, lane);
    if (!choice) {
      const auto writes = static_cast<double>(writes_.size());
      const bool read_overdue = !reads_.empty() && overdue(reads_.front(), now);
      if (draining_) {
        draining_ =
            !((writes == 0 || writes < p_.drain_low * p_.write_queue || read_overdue) && !reads_.empty());
      } else {
        draining_ = (writes > p_.drain_high * p_.write_queue && !read_overdue) || reads_.empty();
      }
      draining_ = draining_ && p_.shared_queue == 0;
      queue = draining_ ? &writes_ : &reads_;
      choice = best(*queue, now, lane);
    }
    if (lane == Lane::row && refresh(now)) return;
    if (!choice) {
      if (lane != Lane::column) apply_page_policy(now);
      return;
    }
    const std::size_t i = choice->request;
    const ReplayRequest& r = requests_[i];
    const bool column = is_column(choice->command);
    result_.commands.push_back({now, choice->command, r.bank_group, r.bank, r.row, column ? r.column : -1,
                                static_cast<std::int64_t>(r.id)});
    if (choice->command == DramCommand::pre) {
      closed_row_.erase(bank_of(i));
      const bool starved = std::any_of(queue->begin(), queue->end(), [&](std::size_t other) {
        return bank_of(other) == bank_of(i) && is_column(wanted(other));
      });
      if (!starved) adapt(bank_of(i), false);
      open_.erase(bank_of(i));
      return;
    }
    if (column) {
      const bool passes = queue != &active_ && first_of_bank(*queue, bank_of(i)) != i;
      passed_[bank_of(i)] = passes ? passed_[bank_of(i)] + 1 : 0;
    }
    queue->erase(std::find(queue->begin(), queue->end(), i));
    if (choice->command == DramCommand::act) {
      const auto closed = closed_row_.find(bank_of(i));
      if (closed != closed_row_.end() && closed->second == r.row) adapt(bank_of(i), true);
      closed_row_.erase(bank_of(i));
      open_[bank_of(i)] = r.row;
      active_.insert(std::upper_bound(active_.begin(), active_.end(), i), i);
      return;
    }
    last_use_[bank_of(i)] = now;
    result_.replies[i].cas_issue = static_cast<std::int64_t>(now);
    result_.replies[i].data_end = now + static_cast<Cycle>(t_.nBL + (r.write ? t_.nCWL : t_.nCL));
  }

  bool forwarded(const ReplayRequest& r) const {
    for (const Queue* queue : {&writes_, &active_, &reads_})
      for (const std::size_t i : *queue)
        if (requests_[i].write && bank_of(i) == r.bank_group * t_.banks_per_group + r.bank &&
            requests_[i].row == r.row && requests_[i].column == r.column)
          return true;
    return false;
  }

  void accept(Cycle now) {
    if (next_ == requests_.size() || requests_[next_].arrive > now) return;
    const ReplayRequest& r = requests_[next_];
    const bool shared = p_.shared_queue != 0;
    Queue& queue = r.write && !shared ? writes_ : reads_;
    const int room = shared ? p_.shared_queue : r.write ? p_.write_queue : p_.read_queue;
    if (queue.size() >= static_cast<std::size_t>(room)) return;
    ReplayReply& reply = result_.replies[next_];
    reply.id = r.id;
    reply.arrive = r.arrive;
    reply.accept = now;
    if (!r.write && forwarded(r)) {
      reply.data_end = now + 1;
    } else {
      queue.push_back(next_);
    }
    ++next_;
  }

  MemoryControllerParams p_;
  TimingSet t_;
  const std::vector<ReplayRequest>& requests_;
  std::vector<DramRule> rules_;
  ReplayResult result_;
  std::size_t next_ = 0;
  Queue reads_;
  Queue writes_;
  Queue active_;
  std::map<int, std::int64_t> open_;
  bool draining_ = false;
  std::map<DramCommand, Cycle> reach_;  // longest distance of a rule that ends in the command
  Cycle due_ = never;
  bool claiming_ = false;
  bool making_up_ = false;
  int turn_ = 0;
  std::map<int, int> passed_;  // row hits in a row that passed the oldest request, by bank
  std::map<int, Cycle> last_use_;
  std::map<int, Cycle> idle_close_;
  std::map<int, std::int64_t> closed_row_;
};

}  // namespace

ReplayResult replay_plainly(const MemoryControllerParams& params,
                            const std::vector<ReplayRequest>& requests) {
  return NaiveController(params, requests).run();
}

}  // namespace strata::tb
