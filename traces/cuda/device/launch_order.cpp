#include "traces/cuda/device/launch_order.h"

#include <algorithm>

#include "models/common/streams.h"

namespace strata::cuda {

struct LaunchOrder::Operation {
  StreamPlace stream;
  std::vector<Handle> before;       // until their kernels are known
  std::vector<std::uint32_t> last;  // kernels that a waiting operation waits for
  bool known = false;               // `last` is valid
  bool continued = false;           // an operation of the same graph continues its stream
};

StreamPlace LaunchOrder::add_stream(bool blocking, int priority) {
  const std::uint64_t number = ++streams_;
  return {blocking ? number : number | non_blocking_stream, priority};
}

LaunchOrder::Handle LaunchOrder::put(const StreamPlace& stream) {
  const auto operation = std::make_shared<Operation>();
  operation->stream = stream;
  Open& open = open_[stream.number];
  std::vector<Handle>& before = operation->before;
  before = std::move(open.waits);
  open.waits.clear();
  if (open.last != nullptr) before.push_back(open.last);
  if (host_ != nullptr) before.push_back(host_);
  if (stream.number == default_stream) {
    before.insert(before.end(), since_default_.begin(), since_default_.end());
    since_default_.clear();
    last_default_ = operation;
  } else if (is_blocking(stream.number)) {
    if (last_default_ != nullptr) before.push_back(last_default_);
    const auto same = std::find(since_default_.begin(), since_default_.end(), open.last);
    if (open.last != nullptr && same != since_default_.end())
      *same = operation;
    else
      since_default_.push_back(operation);
  }
  open.last = operation;
  return operation;
}

LaunchOrder::Handle LaunchOrder::mark(const StreamPlace& stream) {
  const Handle operation = put(stream);
  settle(*operation);
  return operation;
}

void LaunchOrder::remove_stream(const StreamPlace& stream) {
  const auto open = open_.find(stream.number);
  if (open == open_.end()) return;
  removed_ = behind(removed_, open->second.last);
  settle(*removed_);
  open_.erase(open);
}

LaunchOrder::Handle LaunchOrder::behind(const Handle& one, const Handle& other) {
  const auto both = std::make_shared<Operation>();
  for (const Handle& before : {one, other})
    if (before != nullptr) both->before.push_back(before);
  return both;
}

/// An operation without kernels, such as an event, drops its predecessors.
void LaunchOrder::settle(Operation& operation) {
  const std::vector<Handle>& before = operation.before;
  if (std::all_of(before.begin(), before.end(), [](const Handle& one) { return one->known; }))
    kernels_of(operation);
}

/// A later kernel of a stream replaces the earlier ones.
void LaunchOrder::prune(Kernels& kernels) const {
  LastByStream last;
  for (const std::uint32_t kernel : kernels) {
    std::uint32_t& latest = last[kernel_streams_[kernel]];
    latest = std::max(latest, kernel);
  }
  kernels.clear();
  for (const auto& [stream, kernel] : last) kernels.push_back(kernel);
  std::sort(kernels.begin(), kernels.end());
}

void LaunchOrder::wait(const StreamPlace& stream, const Handle& operation) {
  if (operation != nullptr) open_[stream.number].waits.push_back(operation);
}

void LaunchOrder::synchronize(const Handle& operation) {
  if (operation == nullptr) return;
  host_ = behind(host_, operation);
  settle(*host_);
}

void LaunchOrder::synchronize() {
  synchronize(removed_);
  removed_ = nullptr;
  for (const auto& [number, open] : open_) synchronize(open.last);
}

void LaunchOrder::enter(const Handle& operation) {
  kernels_of(*operation);
  operation->known = false;  // its own kernels are still to come
  course_.running.push_back(operation);
}

void LaunchOrder::leave() {
  course_.running.back()->known = true;
  course_.running.pop_back();
}

void LaunchOrder::inherit_waits(const Handle& operation) {
  if (operation == nullptr || course_.running.empty()) return;
  const Kernels& before = kernels_of(*operation);
  Kernels& last = course_.running.back()->last;
  last.insert(last.end(), before.begin(), before.end());
  prune(last);
}

/// Finds the last kernels of operations that have run. Iterative, since chains without kernels may be long.
const LaunchOrder::Kernels& LaunchOrder::kernels_of(Operation& operation) {
  std::vector<Operation*> left = {&operation};
  while (!left.empty()) {
    Operation& one = *left.back();
    const std::size_t open = left.size();
    for (const Handle& before : one.before)
      if (!one.known && !before->known) left.push_back(before.get());
    if (left.size() != open) continue;
    left.pop_back();
    if (one.known) continue;
    for (const Handle& before : one.before)
      one.last.insert(one.last.end(), before->last.begin(), before->last.end());
    prune(one.last);
    one.before.clear();
    one.known = true;
  }
  return operation.last;
}

LaunchOrder::Placed LaunchOrder::place_kernel() {
  if (course_.running.empty()) {  // not launched through a stream
    enter(put(StreamPlace()));
    const Placed placed = place_kernel();
    leave();
    return placed;
  }
  Operation& operation = *course_.running.back();
  const std::uint64_t stream = operation.stream.number;
  Placed placed{stream, operation.stream.priority, reduced(operation.last, stream)};
  operation.last = {static_cast<std::uint32_t>(kernel_streams_.size())};
  kernel_streams_.push_back(stream);
  return placed;
}

/// Removes kernels that streams order anyway, and keeps the last new one of each other stream.
LaunchOrder::Kernels LaunchOrder::reduced(const Kernels& kernels, std::uint64_t stream) {
  LastByStream& covered = covered_[stream];
  Kernels left;
  for (const std::uint32_t kernel : kernels) {
    const std::uint64_t of = kernel_streams_[kernel];
    const bool both_block = is_blocking(of) && is_blocking(stream);
    if (of == stream || (both_block && (of == default_stream || stream == default_stream))) continue;
    const auto known = covered.find(of);
    if (known != covered.end() && known->second >= kernel) continue;
    covered[of] = kernel;
    left.push_back(kernel);
  }
  return left;
}

/// Uses the stream of the node before, unless another node has: branches run concurrently.
LaunchOrder::Handle LaunchOrder::branch(const std::vector<Handle>& before) {
  const auto made = std::make_shared<Operation>();
  const Handle from = before.empty() ? course_.running.back() : before.front();
  made->stream = from->stream;
  if (from->continued) {
    std::vector<std::uint64_t>& numbers = branches_[course_.running.front()->stream.number];
    std::size_t& next = *course_.next_branch;
    if (next == numbers.size()) numbers.push_back(add_stream(false, 0).number);
    made->stream.number = numbers[next++];
  }
  from->continued = true;
  if (!before.empty()) {
    made->before = before;
  } else {
    made->last = from->last;
    made->known = true;
  }
  return made;
}

void LaunchOrder::join(const std::vector<Handle>& last) {
  Operation& operation = *course_.running.back();
  operation.continued = false;
  Kernels all;
  for (const Handle& one : last) {
    const Kernels& kernels = kernels_of(*one);
    all.insert(all.end(), kernels.begin(), kernels.end());
  }
  prune(all);
  if (!last.empty()) operation.last = std::move(all);
  if (course_.running.size() == 1) *course_.next_branch = 0;
}

}  // namespace strata::cuda
