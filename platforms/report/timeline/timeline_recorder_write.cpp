// Output of a finished request to the timeline.
#include <algorithm>
#include <utility>

#include "platforms/report/timeline/timeline_recorder.h"

namespace strata::platforms {
namespace {

using Kind = TimelineNote::Kind;

std::string_view category_of(Cause cause) {
  return is_wait(cause) ? "wait" : "work";
}

/// Requester and request, as notes of the first slice.
std::vector<TimelineNote> notes_of(const TimelineRequest& request) {
  const Access& who = request.who;
  std::vector<TimelineNote> notes = {
      {"request", Kind::number, request.number},
      {"line", Kind::address, who.line},
      {"bytes", Kind::number, static_cast<unsigned>(who.sector_count()) * sector_bytes},
      {"latency", Kind::number, request.end - request.birth},
      {"cluster", Kind::number, who.cluster},
      {"sm", Kind::number, who.sm},
      {"warp", Kind::number, who.warp},
      {"cta", Kind::number, who.cta},
      {"kernel", Kind::number, who.kernel},
      {"pc", Kind::address, who.pc},
      {"application", Kind::number, who.application}};
  if (request.unfinished) notes.push_back({"unfinished", Kind::yes});
  return notes;
}

}  // namespace

void TimelineRecorder::write(TimelineRequest& request) {
  if (off_ || !selection_.overlaps(request.birth, request.end)) return;
  if (row_names_.empty())  // all places are known by now: they are registered while the platform is built
    for (int i = 0; i < places_->size(); ++i)
      row_names_.push_back(places_->name(Place{static_cast<std::uint8_t>(i)}));
  bool first = true;
  for (const TimelineHop& hop : request.hops) {
    if (first || hop.end > hop.begin) write_hop(&request, hop, first);
    first = false;
  }
  ++written_;
  if (file_.full()) stop();
}

void TimelineRecorder::write_hop(const TimelineRequest* request, const TimelineHop& hop, bool first) {
  TimelineSlice outer{{}, "hop", hop.begin, hop.end};
  std::vector<TimelineNote> notes;
  if (!hop.command.name.empty()) {
    outer.name = hop.command.name;
    outer.category = "dram";
    notes.push_back({"bank", Kind::number, static_cast<std::uint64_t>(hop.command.bank)});
    if (hop.command.row >= 0)
      notes.push_back({"row", Kind::number, static_cast<std::uint64_t>(hop.command.row)});
    if (hop.command.column >= 0)
      notes.push_back({"column", Kind::number, static_cast<std::uint64_t>(hop.command.column)});
    if (request != nullptr) notes.push_back({"request", Kind::number, request->number});
  } else {
    outer.name = to_text(request->who.access_class);
    if (first) outer.category = "request";
    notes = first ? notes_of(*request)
                  : std::vector<TimelineNote>{{"request", Kind::number, request->number},
                                              {"line", Kind::address, request->who.line}};
  }
  std::vector<TimelineSlice> inner;
  for (const TimelineWait& wait : hop.waits)
    inner.push_back({row_names_[static_cast<std::size_t>(row_of(wait.place))],
                     category_of(places_->cause(wait.place)), wait.begin, wait.end});
  const auto track = tracks_.find(hop.block);
  if (track == tracks_.end()) return;
  file_.add(track->second.track, outer, inner, notes, request == nullptr ? 0 : request->number);
}

// Stops recording and releases all references at once; the order has no effect.
void TimelineRecorder::stop() {
  off_ = true;
  full_at_ = core_->ledger_now();
  for (auto& [access, one] : open_)
    if (std::exchange(one->held, false)) Txn::of(*one->access).release();
}

void TimelineRecorder::finish() {
  std::vector<std::pair<std::uint64_t, AccessPointer>> left;
  for (const auto& [access, one] : open_)
    left.emplace_back(one->request == nullptr ? 0 : one->request->number, one);
  std::stable_sort(left.begin(), left.end(), [](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    return (a.second->parent != nullptr) > (b.second->parent != nullptr);  // children first
  });
  for (const auto& [number, one] : left) close(*one);
  file_.finish();
}

}  // namespace strata::platforms
