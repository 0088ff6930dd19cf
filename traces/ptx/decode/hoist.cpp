#include <algorithm>
#include <queue>
#include <unordered_map>

#include "traces/ptx/decode/decoded_kernel.h"

namespace strata::traces::ptx {
namespace {

/// What each operation of a block waits for.
struct Graph {
  std::vector<std::vector<std::uint32_t>> next;       ///< all dependences
  std::vector<std::vector<std::uint32_t>> producers;  ///< registers only
  std::vector<std::uint32_t> waits;

  void edge(std::uint32_t from, std::uint32_t to) {
    if (from == to) return;
    next[from].push_back(to);
    ++waits[to];
  }
};

Graph dependences(const std::vector<Flow>& flow, std::uint32_t begin, std::uint32_t end) {
  const std::uint32_t n = end - begin;
  Graph g;
  g.next.resize(n);
  g.producers.resize(n);
  g.waits.assign(n, 0);
  std::unordered_map<std::uint32_t, std::uint32_t> writer;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> readers;
  std::vector<std::uint32_t> loads, since_barrier;
  std::int64_t store = -1, barrier = -1;
  for (std::uint32_t i = 0; i < n; ++i) {
    const Flow& f = flow[begin + i];
    for (const std::uint32_t r : f.reads) {
      const auto from = writer.find(r);
      if (from != writer.end()) {
        g.edge(from->second, i);
        g.producers[i].push_back(from->second);
      }
      readers[r].push_back(i);
    }
    for (const std::uint32_t r : f.writes) {
      const auto from = writer.find(r);
      if (from != writer.end()) g.edge(from->second, i);
      for (const std::uint32_t reader : readers[r]) g.edge(reader, i);
      readers[r].clear();
      writer[r] = i;
    }
    if (barrier >= 0) g.edge(static_cast<std::uint32_t>(barrier), i);
    if (f.barrier) {
      for (const std::uint32_t before : since_barrier) g.edge(before, i);
      since_barrier.clear();
      loads.clear();
      store = -1;
      barrier = i;
    }
    if (f.memory == Flow::Memory::load && (f.op.flags & non_coherent) == 0) {
      if (store >= 0) g.edge(static_cast<std::uint32_t>(store), i);
      loads.push_back(i);
    } else if (f.memory == Flow::Memory::store) {
      if (store >= 0) g.edge(static_cast<std::uint32_t>(store), i);
      for (const std::uint32_t load : loads) g.edge(load, i);
      loads.clear();
      store = i;
    }
    since_barrier.push_back(i);
  }
  return g;
}

}  // namespace

std::vector<std::uint32_t> hoist(const std::vector<Flow>& flow, std::uint32_t begin, std::uint32_t end,
                                 int cap) {
  const std::uint32_t n = end - begin;
  std::vector<std::uint32_t> order;
  order.reserve(n);
  Graph g = dependences(flow, begin, end);
  std::vector<std::uint8_t> feeds(n, 0);  // what a load's address needs goes first, too
  for (std::uint32_t i = n; i-- > 0;) {
    if (flow[begin + i].hoistable) feeds[i] = 1;
    if (feeds[i] != 0)
      for (const std::uint32_t from : g.producers[i]) feeds[from] = 1;
  }
  using Heap = std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>>;
  Heap loads, early, late;
  const auto ready = [&](std::uint32_t i) {
    (flow[begin + i].hoistable ? loads : feeds[i] != 0 ? early : late).push(i);
  };
  for (std::uint32_t i = 0; i < n; ++i)
    if (g.waits[i] == 0) ready(i);
  std::vector<std::uint8_t> in_flight(n, 0);
  int flying = 0;
  while (order.size() < n) {
    Heap* from = nullptr;
    if (!loads.empty() && flying < cap)
      from = &loads;
    else if (!early.empty() && flying < cap)
      from = &early;
    else if (!late.empty() && !early.empty())
      from = late.top() < early.top() ? &late : &early;
    else if (!late.empty())
      from = &late;
    else if (!early.empty())
      from = &early;
    else
      from = &loads;
    const std::uint32_t i = from->top();
    from->pop();
    order.push_back(begin + i);
    for (const std::uint32_t load : g.producers[i])
      if (in_flight[load] != 0) {
        in_flight[load] = 0;
        --flying;
      }
    if (flow[begin + i].hoistable) {
      in_flight[i] = 1;
      ++flying;
    }
    for (const std::uint32_t next : g.next[i])
      if (--g.waits[next] == 0) ready(next);
  }
  return order;
}

}  // namespace strata::traces::ptx
