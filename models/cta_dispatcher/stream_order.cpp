#include "models/cta_dispatcher/stream_order.h"

#include <algorithm>
#include <unordered_map>

#include "models/common/faults.h"
#include "models/common/streams.h"

namespace strata {
namespace {

std::string name_of(std::size_t number, const KernelInfo& kernel) {
  return "kernel " + std::to_string(number) + " '" + kernel.name + "'";
}

}  // namespace

StreamOrder::StreamOrder(const std::vector<KernelInfo>& kernels, const std::string& source)
    : kernels_(kernels), nodes_(kernels.size()) {
  struct Last {
    std::size_t kernel;
    bool listed;  // in `since`
  };
  std::unordered_map<std::uint64_t, Last> streams;
  std::vector<std::uint64_t>
      since;  // blocking streams with kernels behind the last one of the default stream
  std::int64_t last_default = -1;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const KernelInfo& kernel = kernels[k];
    const auto [stream, is_new] = streams.insert({kernel.stream, {k, false}});
    Last& last = stream->second;
    if (!is_new) {
      nodes_[k].in_stream = static_cast<std::int64_t>(last.kernel);
      add_edge(last.kernel, k);
    }
    last.kernel = k;
    if (kernel.stream == default_stream) {
      for (const std::uint64_t one : since) {
        add_edge(streams[one].kernel, k);
        streams[one].listed = false;
      }
      since.clear();
      last_default = static_cast<std::int64_t>(k);
    } else if (is_blocking(kernel.stream)) {
      if (last_default > nodes_[k].in_stream) add_edge(static_cast<std::size_t>(last_default), k);
      if (!last.listed) since.push_back(kernel.stream);
      last.listed = true;
    }
    for (const std::uint32_t other : kernel.after) {
      if (other >= k)
        throw TraceError({{source, 0, 0},
                          name_of(k, kernel) + " waits for kernel " + std::to_string(other) + ", which is " +
                              (other == k ? "itself: its stream would wait for ever"
                               : other >= kernels.size()
                                   ? "not there: the last one is kernel " + std::to_string(kernels.size() - 1)
                                   : "launched later; allowed: kernels before it")});
      add_edge(other, k);
    }
  }
  restart();
}

bool StreamOrder::several_streams(const std::vector<KernelInfo>& kernels) {
  return std::any_of(kernels.begin(), kernels.end(),
                     [&](const KernelInfo& kernel) { return kernel.stream != kernels.front().stream; });
}

// One that is there twice is counted twice when it ends.
void StreamOrder::add_edge(std::size_t before, std::size_t kernel) {
  nodes_[kernel].before.push_back(static_cast<std::uint32_t>(before));
  nodes_[before].behind.push_back(static_cast<std::uint32_t>(kernel));
}

void StreamOrder::restart() {
  ready_.clear();
  ended_count_ = 0;
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    nodes_[k].left = static_cast<std::uint32_t>(nodes_[k].before.size());
    nodes_[k].ended = false;
    if (nodes_[k].left == 0) ready_.insert({-std::int64_t{kernels_[k].priority}, k});
  }
}

std::size_t StreamOrder::take_ready() {
  const std::size_t kernel = ready_.begin()->second;
  ready_.erase(ready_.begin());
  return kernel;
}

void StreamOrder::ended(std::size_t kernel) {
  nodes_[kernel].ended = true;
  ++ended_count_;
  for (const std::uint32_t next : nodes_[kernel].behind)
    if (--nodes_[next].left == 0) ready_.insert({-std::int64_t{kernels_[next].priority}, next});
}

std::vector<StreamOrder::Waiting> StreamOrder::waiting(std::size_t most) const {
  std::vector<Waiting> all;
  for (std::size_t k = 0; k < nodes_.size() && all.size() < most; ++k) {
    const Node& node = nodes_[k];
    const bool next = node.in_stream < 0 || nodes_[static_cast<std::size_t>(node.in_stream)].ended;
    if (node.left == 0 || !next) continue;
    const auto open = std::find_if(node.before.begin(), node.before.end(),
                                   [this](std::uint32_t other) { return !nodes_[other].ended; });
    all.push_back({k, *open});
  }
  return all;
}

}  // namespace strata
