#include "traces/cuda/device/launch_records.h"

#include <algorithm>
#include <utility>

namespace strata::cuda {

LaunchRecords::Kept::Kept(const traces::CtaPath& from)
    : path(from), addresses(from.addresses, from.addresses + from.address_count) {
  std::size_t count = 0;
  for (const traces::Stretch& one : from.stretches)
    count += std::size_t{one.pattern->cells} * (one.repeats + std::size_t{1});
  cells.reserve(count);  // they stay where they are
  for (traces::Stretch& one : path.stretches) {
    const traces::PathCell* const at = one.cells;
    one.cells = cells.data() + cells.size();
    cells.insert(cells.end(), at, at + std::size_t{one.pattern->cells} * (one.repeats + std::size_t{1}));
    if (one.pattern->id == 0) one.pattern = &path.own[one.pattern->place];
  }
  path.addresses = addresses.data();
}

std::shared_ptr<LaunchRecords::Launch> LaunchRecords::begin(const LaunchSaid& said,
                                                            std::vector<std::uint32_t> after,
                                                            const traces::PtxLaunch& launch) {
  auto made = std::make_shared<Launch>();
  made->said = said;
  made->after = std::move(after);
  made->name = launch.kernel;
  made->program = launch.program;
  open_.push_back(made);
  if (said.recorded != 0) made->lines = launch.program->kernel(launch.kernel).lines;
  if (open_.size() == 1) say_launch(*made);
  return made;
}

void LaunchRecords::add(Launch& launch, const traces::CtaPath& cta) {
  if (open_.front().get() == &launch)
    stream_.add(cta);
  else
    launch.kept.emplace_back(cta);
}

void LaunchRecords::end(Launch& launch, const LaunchEnded& ended, std::string gaps) {
  launch.ended = ended;
  launch.gaps = std::move(gaps);
  launch.over = true;
  if (open_.front().get() == &launch) leave_first();
}

void LaunchRecords::drop(Launch& launch) {
  launch.dropped = true;
  if (!open_.empty() && open_.front().get() == &launch) leave_first();
}

void LaunchRecords::cut() {
  for (const auto& one : open_) one->dropped = !one->over;
  if (!open_.empty()) leave_first();
}

void LaunchRecords::say_launch(Launch& launch) {
  if (launch.lines != nullptr) {
    const auto [code, fresh] = codes_.emplace(launch.lines, static_cast<std::uint32_t>(codes_.size() + 1));
    if (fresh) channel_.say(Say::code, encode(*launch.lines));
    launch.said.code = code->second;
  }
  channel_.say_launch(launch.said, launch.after, launch.name);
}

/// The first one has said all; the next one speaks from now on.
void LaunchRecords::leave_first() {
  for (bool first = true; !open_.empty(); first = false) {
    const std::shared_ptr<Launch> one = open_.front();
    if (!first) {
      say_launch(*one);
      for (const Kept& cta : one->kept) stream_.add(cta.path);
      one->kept.clear();
    }
    if (!one->over && !one->dropped) return;
    stream_.flush();
    if (one->over) channel_.say_ended(one->ended, one->gaps);
    open_.pop_front();
  }
}

}  // namespace strata::cuda
