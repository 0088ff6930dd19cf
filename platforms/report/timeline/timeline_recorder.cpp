#include "platforms/report/timeline/timeline_recorder.h"

#include <algorithm>

#include "models/common/faults.h"

namespace strata::platforms {
namespace {

/// The order in which a block charges the causes of a stay. A ledger has only sums; if a block charges in
/// another order, slices swap places, and nothing else changes.
int turn_of(Cause cause, Role role) {
  constexpr Cause order[] = {Cause::request_link,  Cause::request_serial, Cause::request_router,
                             Cause::request_queue, Cause::queue,          Cause::reconfiguration,
                             Cause::port,          Cause::full,           Cause::pipeline,
                             Cause::miss_queue,    Cause::merge,          Cause::conflict,
                             Cause::activate,      Cause::access,         Cause::bus,
                             Cause::reply_link,    Cause::reply_serial,   Cause::reply_router,
                             Cause::reply_queue,   Cause::fill,           Cause::external,
                             Cause::reply_port};
  static_assert(std::size(order) == cause_count);
  const auto turn = [&](Cause one) {
    return 2 * static_cast<int>(std::find(std::begin(order), std::end(order), one) - std::begin(order));
  };
  // A slice looks up its tags before a request waits: its queue is behind the tags.
  return role == Role::llc && cause == Cause::pipeline ? turn(Cause::queue) - 1 : turn(cause);
}

}  // namespace

/// One binding of the platform.
class TimelineRecorder::Binding final : public CallWatchIf {
 public:
  Binding(TimelineRecorder& recorder, const Block& from, const Block& to)
      : recorder_(recorder), from_(from), to_(to) {}

  void call_begins(Payload& payload, const tlm::tlm_phase& phase, const sc_core::sc_time& delay,
                   bool forward) override {
    if (recorder_.off_) return;
    Txn* const txn = Txn::from(payload);
    if (txn == nullptr) return;
    if (forward && phase == tlm::BEGIN_REQ) {
      if (txn->get_extension<DramCommandAttr>() != nullptr)
        command_at_ = to_.clock().arrival(delay);
      else
        recorder_.request_leaves(from_, to_, *txn);
    } else if (!forward && phase == tlm::BEGIN_RESP) {
      recorder_.response_leaves(from_, *txn);
    }
  }

  void call_ends(Payload& payload, const tlm::tlm_phase& sent, tlm::tlm_sync_enum result,
                 const tlm::tlm_phase& phase, const sc_core::sc_time& delay, bool forward) override {
    if (recorder_.off_) return;
    // A payload that has ended may be freed: the receiver of its response holds a reference.
    if (!forward && sent == tlm::BEGIN_RESP) {
      if (Txn* const txn = Txn::from(payload)) recorder_.response_passed(*txn, result != tlm::TLM_ACCEPTED);
    } else if (forward && sent == tlm::BEGIN_REQ) {
      const bool answered =
          result == tlm::TLM_COMPLETED || (result == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP);
      Txn* const txn = answered ? Txn::from(payload) : nullptr;
      if (txn == nullptr) return;
      if (const auto* attr = txn->get_extension<DramCommandAttr>()) return tell_command(*attr, *txn, delay);
      recorder_.response_leaves(from_, *txn);
      recorder_.response_passed(*txn, true);
    } else if (forward && sent == tlm::END_RESP) {
      if (Txn* const txn = Txn::from(payload)) recorder_.response_ends(*txn);
    }
  }

 private:
  void tell_command(const DramCommandAttr& attr, const Txn& txn, const sc_core::sc_time& delay) {
    const ClockDomain& clock = to_.clock();
    const Cycle begin = attr.cycle == never ? command_at_ : attr.cycle;
    const Cycle end = std::max(begin + 1, is_column(attr.command) ? clock.arrival(delay) : 0);
    recorder_.command(from_, to_, attr, attr.request < 0 ? ~Address{0} : txn.get_address(),
                      clock.ledger_at(begin), std::max(clock.ledger_at(end), clock.ledger_at(begin) + 1));
  }

  TimelineRecorder& recorder_;
  const Block& from_;
  const Block& to_;
  Cycle command_at_ = 0;
};

TimelineRecorder::TimelineRecorder(sc_core::sc_module_name module_name, const TimelineOptions& options,
                                   std::uint64_t seed)
    : sc_module(module_name), selection_(options, seed), file_(options.file, options.limit) {
  SC_HAS_PROCESS(TimelineRecorder);
  SC_METHOD(end_answered);
  sensitive << answer_;
  dont_initialize();
}

TimelineRecorder::~TimelineRecorder() = default;

CallWatchIf* TimelineRecorder::watch(const PortBase& from, const PortBase& to) {
  bindings_.push_back(std::make_unique<Binding>(*this, from.owner(), to.owner()));
  return bindings_.back().get();
}

void TimelineRecorder::attach(const Platform& platform) {
  places_ = &platform.ledger_places();
  core_ = &platform.core_clock();
  line_bytes_ = platform.address_map().line_bytes();
  const int root = file_.add_track(platform.title().empty() ? "platform" : platform.title());
  int group = root;
  const std::vector<PlatformInstance>& instances = platform.instances();
  for (std::size_t i = 0; i < instances.size(); ++i) {
    if (i == 0 || instances[i].name != instances[i - 1].name)
      group = file_.add_track(instances[i].name, root);
    tracks_[instances[i].block] = {file_.add_track(instances[i].full_name(), group), instances[i].kind->role};
  }
}

TimelineAccess* TimelineRecorder::find(const Access& access) {
  const auto found = open_.find(&access);
  return found == open_.end() ? nullptr : found->second.get();
}

TimelineRecorder::AccessPointer TimelineRecorder::shown_cause(const Txn& txn) {
  if (txn.cause() == nullptr) return nullptr;
  const auto found = open_.find(txn.cause());
  return found == open_.end() ? nullptr : found->second;
}

TimelineRecorder::AccessPointer TimelineRecorder::open(Txn& txn, const Block& origin) {
  Access& access = txn.access();
  auto one = std::make_shared<TimelineAccess>();
  one->access = &access;
  one->origin = one->holder = &origin;
  one->birth = one->mark = access.birth;
  if (txn.cause() != nullptr) {
    one->parent = shown_cause(txn);
    if (one->parent != nullptr) one->request = one->parent->request;
  }
  if (one->parent == nullptr) {
    const std::uint64_t number = next_number_++;
    if (selection_.begins_in_time(access.birth) && selection_.takes_line(access.line, line_bytes_) &&
        selection_.takes_number(number)) {
      one->request = std::make_shared<TimelineRequest>();
      one->request->number = number;
      one->request->who = access;
      one->request->birth = access.birth;
      one->request->hops.push_back({&origin, access.birth, access.birth, {}});
    }
  }
  if (one->request != nullptr) {
    ++one->request->open;
    if (one->parent != nullptr) {
      settle(*one->parent);  // cycles that the parent spent before it sent this request
      one->parent->children.push_back(one);
    }
  }
  open_[&access] = one;
  return one;
}

void TimelineRecorder::request_leaves(const Block& from, const Block& to, Txn& txn) {
  TimelineAccess* one = find(txn.access());
  if (one != nullptr && (one->birth != txn.access().birth || one->answered)) {  // released by its initiator
    one->over = true;
    close(*one);
    one = nullptr;
  }
  if (one == nullptr) one = open(txn, from).get();
  if (one->request == nullptr) return;
  settle(*one);
  enter(*one, to);
}

void TimelineRecorder::response_leaves(const Block& to, Txn& txn) {
  TimelineAccess* const one = find(txn.access());
  if (one == nullptr) return;
  const bool answered = &to == one->origin;
  if (one->request == nullptr) {
    if (answered) open_.erase(one->access);
    return;
  }
  settle(*one);
  if (!answered) return enter(*one, to);
  leave(*one);
  one->holder = one->origin;
  one->hop = 0;
  one->answered = one->held = true;
  txn.acquire();
}

// The initiator has its response; it charges cycles now, or when the present cycle continues.
void TimelineRecorder::response_passed(Txn& txn, bool taken) {
  TimelineAccess* const one = find(txn.access());
  if (one != nullptr && one->held && taken) end_later(txn);
}

void TimelineRecorder::response_ends(Txn& txn) {
  TimelineAccess* const one = find(txn.access());
  if (one != nullptr && one->held) end_later(txn);
}

void TimelineRecorder::end_later(Txn& txn) {
  if (std::find(answered_.begin(), answered_.end(), &txn) != answered_.end()) return;
  answered_.push_back(&txn);
  answer_.notify(sc_core::SC_ZERO_TIME);
}

void TimelineRecorder::end_answered() {
  for (std::size_t i = 0; i < answered_.size(); ++i) {
    Txn& txn = *answered_[i];
    if (TimelineAccess* const one = find(txn.access())) close(*one);
  }
  answered_.clear();
}

/// Adds the growth of the ledger since the last call as waits of the present stay.
void TimelineRecorder::settle(TimelineAccess& one) {
  if (off_ || one.over || one.request == nullptr) return;
  const Access& access = *one.access;
  if (!one.children.empty()) take_over(one, access);
  TimelineAccess::Rows spent{};
  bool any = false;
  for (int i = 0; i < places_->size(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    const std::uint32_t cycles = access.ledger.cycles(Place{static_cast<std::uint8_t>(i)});
    spent[row] = cycles - one.rows[row];
    one.rows[row] = cycles;
    any = any || spent[row] != 0;
  }
  if (any) lay_out(one, spent);
  one.mark = access.ledger.mark();
  if (one.parent == nullptr) one.request->who.ledger = access.ledger;
}

/// A block adds the ledger of a request that it made for an access to the ledger of that access: the hops
/// already contain those cycles.
void TimelineRecorder::take_over(TimelineAccess& one, const Access& access) {
  for (auto next = one.children.begin(); next != one.children.end(); ++next) {
    TimelineAccess& child = **next;
    if (!child.answered) continue;
    settle(child);
    bool whole = access.ledger.mark() >= child.mark, any = false;
    for (int i = 0; i < places_->size() && whole; ++i) {
      const auto row = static_cast<std::size_t>(i);
      whole = access.ledger.cycles(Place{static_cast<std::uint8_t>(i)}) - one.rows[row] >= child.rows[row];
      any = any || child.rows[row] != 0;
    }
    if (!whole || !any) continue;
    for (std::size_t row = 0; row < one.rows.size(); ++row) one.rows[row] += child.rows[row];
    one.mark = std::max(one.mark, child.mark);
    one.children.erase(next);
    return;
  }
}

void TimelineRecorder::lay_out(TimelineAccess& one, const TimelineAccess::Rows& spent) {
  TimelineHop& hop = hop_for(one, one.mark);
  const Role role = tracks_[hop.block].role;
  std::array<std::pair<int, int>, most_places> order;
  std::size_t count = 0;
  for (int i = 0; i < places_->size(); ++i)
    if (spent[static_cast<std::size_t>(i)] != 0)
      order[count++] = {turn_of(places_->cause(Place{static_cast<std::uint8_t>(i)}), role), i};
  std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
  Cycle at = one.mark;
  for (std::size_t i = 0; i < count; ++i) {
    const Place place{static_cast<std::uint8_t>(order[i].second)};
    const Cycle end = at + spent[static_cast<std::size_t>(order[i].second)];
    hop.waits.push_back({place, at, end});
    at = end;
  }
  hop.end = std::max(hop.end, at);
}

/// The hop of an access at the block that made it for another access: the stay of that access, unless a
/// second one is there at the same time.
TimelineHop& TimelineRecorder::hop_for(TimelineAccess& one, Cycle begin) {
  TimelineRequest& request = *one.request;
  if (one.holder != one.origin || one.parent == nullptr) return request.hops[one.hop];
  if (!one.parent->over && one.parent->holder == one.origin) {
    TimelineHop& hop = request.hops[one.parent->hop];
    if (hop.waits.empty() ? hop.begin <= begin : hop.waits.back().end <= begin) return hop;
  }
  request.hops.push_back({one.origin, begin, begin, {}});
  return request.hops.back();
}

void TimelineRecorder::leave(TimelineAccess& one) {
  if (one.holder == one.origin) return;
  TimelineHop& left = one.request->hops[one.hop];
  left.end = std::max(left.end, one.mark);
  forget_at_memory(one);
}

void TimelineRecorder::forget_at_memory(const TimelineAccess& one) {
  const auto found = at_memory_.find(one.access->line);
  if (found != at_memory_.end() && found->second == &one) at_memory_.erase(found);
}

void TimelineRecorder::enter(TimelineAccess& one, const Block& block) {
  leave(one);
  one.holder = &block;
  one.hop = one.request->hops.size();
  one.request->hops.push_back({&block, one.mark, one.mark, {}});
  if (tracks_[&block].role == Role::memory) at_memory_[one.access->line] = &one;
}

void TimelineRecorder::command(const Block& from, const Block& to, const DramCommandAttr& attr, Address line,
                               Cycle begin, Cycle end) {
  TimelineHop hop{&to, begin, end, {}, {to_text(attr.command), attr.bank, attr.row, attr.column}};
  const auto found = at_memory_.find(line);
  if (found != at_memory_.end() && found->second->holder == &from)
    return found->second->request->hops.push_back(std::move(hop));
  // A write that was acknowledged already, or a refresh.
  if (!selection_.takes_all_numbers() || !selection_.overlaps(begin, end)) return;
  if (attr.request >= 0 ? selection_.takes_line(line, line_bytes_) : selection_.takes_all_lines())
    write_hop(nullptr, hop, true);
}

/// Everything has been charged.
void TimelineRecorder::close(TimelineAccess& one) {
  const AccessPointer keep = open_[one.access];
  if (one.request != nullptr) {
    settle(one);
    forget_at_memory(one);
    TimelineRequest& request = *one.request;
    if (one.parent == nullptr) {
      request.end = one.mark;
      request.unfinished = !one.answered;
      if (request.unfinished)  // accesses made for it may continue
        for (const TimelineHop& hop : request.hops) request.end = std::max(request.end, hop.end);
      request.hops.front().end = std::max(request.hops.front().end, request.end);
    }
    one.over = true;
    one.children.clear();
    if (--request.open == 0) write(request);
  }
  open_.erase(one.access);
  if (one.held) Txn::of(*one.access).release();
  one.held = false;
}

}  // namespace strata::platforms
