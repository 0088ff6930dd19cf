#include "traces/cuda/device/launch_records.h"

#include <algorithm>

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

std::shared_ptr<LaunchRecords::Launch> LaunchRecords::begin(const LaunchSaid& said, const std::string& name) {
  auto made = std::make_shared<Launch>();
  made->said = said;
  made->name = name;
  open_.push_back(made);
  if (open_.size() == 1) channel_.say_launch(said, name);
  return made;
}

void LaunchRecords::add(Launch& launch, const traces::CtaPath& cta) {
  if (open_.front().get() == &launch)
    stream_.add(cta);
  else
    launch.kept.emplace_back(cta);
}

void LaunchRecords::end(Launch& launch, const LaunchEnded& ended) {
  launch.ended = ended;
  launch.over = true;
  if (open_.front().get() != &launch) return;
  stream_.flush();
  channel_.say_ended(ended);
  open_.pop_front();
  next();
}

void LaunchRecords::drop(Launch& launch) {
  const bool spoke = open_.front().get() == &launch;
  if (spoke) stream_.flush();
  open_.remove_if([&](const std::shared_ptr<Launch>& one) { return one.get() == &launch; });
  if (spoke) next();
}

/// The first one speaks from now on.
void LaunchRecords::next() {
  while (!open_.empty()) {
    const std::shared_ptr<Launch> one = open_.front();
    channel_.say_launch(one->said, one->name);
    for (const Kept& cta : one->kept) stream_.add(cta.path);
    one->kept.clear();
    if (!one->over) return;
    stream_.flush();
    channel_.say_ended(one->ended);
    open_.pop_front();
  }
}

}  // namespace strata::cuda
