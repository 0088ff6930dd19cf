#include <algorithm>
#include <queue>
#include <unordered_map>

#include "traces/ptx/decode/decoded_kernel.h"
#include "traces/ptx/execute/operations.h"
#include "traces/ptx/execute/path_library.h"

namespace strata::traces::ptx {
namespace {

struct Block {
  std::uint32_t begin = 0, end = 0;
  std::vector<std::uint32_t> next, before;
  std::uint32_t post = no_op;  ///< immediate post-dominator
  bool joins = false;
};

using Bits = std::vector<std::uint64_t>;
bool test(const Bits& bits, std::uint32_t i) {
  return (bits[i / 64] >> (i % 64) & 1) != 0;
}
void set(Bits& bits, std::uint32_t i) {
  bits[i / 64] |= std::uint64_t{1} << (i % 64);
}
void clear(Bits& bits, std::uint32_t i) {
  bits[i / 64] &= ~(std::uint64_t{1} << (i % 64));
}

class Layout {
 public:
  Layout(DecodedKernel& kernel, std::vector<Flow> flow, const std::vector<std::uint8_t>& words)
      : kernel_(kernel), flow_(std::move(flow)), words_(words) {}

  void run(int cap) {
    find_blocks();
    post_dominators();
    if (cap == 0) pressure();
    if (cap > 0) {
      std::vector<Flow> ordered;
      ordered.reserve(flow_.size());
      for (const Block& b : blocks_) {
        const std::uint32_t end = flow_[b.end - 1].ends_block ? b.end - 1 : b.end;
        for (const std::uint32_t i : hoist(flow_, b.begin, end, cap)) ordered.push_back(flow_[i]);
        if (end != b.end) ordered.push_back(flow_[end]);
      }
      flow_ = std::move(ordered);
    }
    first_uses();
    write(kernel_.ops);
  }

 private:
  void find_blocks() {
    const auto n = static_cast<std::uint32_t>(flow_.size());
    std::vector<std::uint8_t> leader(n + 1, 0);
    leader[0] = 1;
    for (std::uint32_t i = 0; i < n; ++i) {
      for (const std::uint32_t t : flow_[i].targets) leader[t] = 1;
      if (flow_[i].ends_block) leader[i + 1] = 1;
    }
    block_of_.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      if (leader[i] != 0) {
        blocks_.emplace_back();
        blocks_.back().begin = i;
      }
      blocks_.back().end = i + 1;
      block_of_[i] = static_cast<std::uint32_t>(blocks_.size() - 1);
    }
    for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
      Block& block = blocks_[b];
      const Flow& last = flow_[block.end - 1];
      for (const std::uint32_t t : last.targets) link(b, block_of_[t]);
      if ((!last.ends_block || last.falls_through) && b + 1 < blocks_.size()) link(b, b + 1);
    }
  }
  void link(std::uint32_t from, std::uint32_t to) {
    auto& next = blocks_[from].next;
    if (std::find(next.begin(), next.end(), to) != next.end()) return;
    next.push_back(to);
    blocks_[to].before.push_back(from);
  }

  /// Post-order of the reversed graph, from every exit.
  std::vector<std::uint32_t> reversed_order() const {
    std::vector<std::uint32_t> order;
    std::vector<std::uint8_t> seen(blocks_.size(), 0);
    std::vector<std::pair<std::uint32_t, std::size_t>> stack;
    const auto enter = [&](std::uint32_t b) {
      if (seen[b] != 0) return;
      seen[b] = 1;
      stack.emplace_back(b, 0);
    };
    for (std::uint32_t root = 0; root < blocks_.size(); ++root) {
      if (leaves(root)) enter(root);
      while (!stack.empty()) {
        const std::uint32_t b = stack.back().first;
        if (stack.back().second < blocks_[b].before.size()) {
          enter(blocks_[b].before[stack.back().second++]);
        } else {
          order.push_back(b);
          stack.pop_back();
        }
      }
    }
    return order;
  }
  /// Cooper, Harvey, Kennedy, "A simple, fast dominance algorithm" (2001), on the reversed graph.
  void post_dominators() {
    const auto n = static_cast<std::uint32_t>(blocks_.size());
    const std::vector<std::uint32_t> order = reversed_order();
    std::vector<std::uint32_t> number(n + 1, no_op), post(n + 1, no_op);
    for (std::uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i;
    number[n] = n;
    post[n] = n;
    const auto meet = [&](std::uint32_t a, std::uint32_t b) {
      while (a != b) {
        while (number[a] < number[b]) a = post[a];
        while (number[b] < number[a]) b = post[b];
      }
      return a;
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = order.size(); i-- > 0;) {
        const std::uint32_t b = order[i];
        std::uint32_t best = leaves(b) ? n : no_op;
        for (const std::uint32_t s : blocks_[b].next)
          if (number[s] != no_op && post[s] != no_op) best = best == no_op ? s : meet(best, s);
        if (best != post[b]) {
          post[b] = best;
          changed = true;
        }
      }
    }
    for (std::uint32_t b = 0; b < n; ++b)
      if (post[b] != n && post[b] != no_op) {
        blocks_[b].post = post[b];
        if (blocks_[b].next.size() > 1 || flow_[blocks_[b].end - 1].op.fn == do_call_pointer)
          blocks_[post[b]].joins = true;
      }
  }
  bool leaves(std::uint32_t b) const {
    // Lanes that exit under a guard do not prevent the others from reconverging: the block's successors
    // decide.
    return blocks_[b].next.empty();
  }

  /// Most 32-bit values live at once: the least that a register allocator needs.
  void pressure() {
    const std::size_t words = (words_.size() + 63) / 64;
    std::vector<Bits> in(blocks_.size(), Bits(words, 0));
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t b = blocks_.size(); b-- > 0;) {
        Bits live = live_out(b, in, words);
        step_back(blocks_[b], live, nullptr);
        if (live != in[b]) {
          in[b] = std::move(live);
          changed = true;
        }
      }
    }
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      Bits live = live_out(b, in, words);
      std::uint32_t count = 0;
      for (std::uint32_t r = 0; r < words_.size(); ++r)
        if (test(live, r)) count += words_[r];
      kernel_.pressure = std::max(kernel_.pressure, count);
      step_back(blocks_[b], live, &count);
    }
  }
  Bits live_out(std::size_t b, const std::vector<Bits>& in, std::size_t words) const {
    Bits live(words, 0);
    for (const std::uint32_t s : blocks_[b].next)
      for (std::size_t w = 0; w < words; ++w) live[w] |= in[s][w];
    return live;
  }
  void step_back(const Block& block, Bits& live, std::uint32_t* count) {
    for (std::uint32_t i = block.end; i-- > block.begin;) {
      const Flow& f = flow_[i];
      for (const std::uint32_t r : f.writes)
        if (!f.conditional && test(live, r)) {
          clear(live, r);
          if (count != nullptr) *count -= words_[r];
        }
      for (const std::uint32_t r : f.reads)
        if (!test(live, r)) {
          set(live, r);
          if (count != nullptr) *count += words_[r];
        }
      if (count != nullptr) kernel_.pressure = std::max(kernel_.pressure, *count);
    }
  }

  /// Forward may-analysis of "the register holds a load's result that has not been read": marks the
  /// operations that may be the first to read or overwrite it.
  void first_uses() {
    slot_of_.assign(words_.size(), -1);
    for (Flow& f : flow_) {
      if (!f.hoistable || f.writes.empty()) continue;
      if (slot_of_[f.writes[0]] < 0) slot_of_[f.writes[0]] = slots_++;
      f.op.slot = slot_of_[f.writes[0]];
      for (const std::uint32_t r : f.writes)
        if (slot_of_[r] < 0) slot_of_[r] = f.op.slot;
    }
    uses_.resize(flow_.size());
    const std::size_t words = static_cast<std::size_t>(slots_) / 64 + 1;
    std::vector<Bits> out(blocks_.size(), Bits(words, 0));
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t b = 0; b < blocks_.size(); ++b) {
        Bits open(words, 0);
        for (const std::uint32_t p : blocks_[b].before)
          for (std::size_t w = 0; w < words; ++w) open[w] |= out[p][w];
        step(blocks_[b], open, false);
        if (open != out[b]) {
          out[b] = std::move(open);
          changed = true;
        }
      }
    }
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      Bits open(words, 0);
      for (const std::uint32_t p : blocks_[b].before)
        for (std::size_t w = 0; w < words; ++w) open[w] |= out[p][w];
      step(blocks_[b], open, true);
    }
    kernel_.load_slots = std::max(kernel_.load_slots, static_cast<std::uint32_t>(slots_));
  }
  void step(const Block& block, Bits& open, bool mark) {
    for (std::uint32_t i = block.begin; i < block.end; ++i) {
      const Flow& f = flow_[i];
      const auto touch = [&](std::uint32_t r) {
        if (slot_of_[r] < 0) return;
        const auto slot = static_cast<std::uint32_t>(slot_of_[r]);
        if (!test(open, slot)) return;
        if (mark) uses_[i].push_back(slot);
        clear(open, slot);
      };
      for (const std::uint32_t r : f.reads) touch(r);
      for (const std::uint32_t r : f.writes) touch(r);
      if (f.op.slot >= 0) set(open, static_cast<std::uint32_t>(f.op.slot));
    }
  }

  // --- the final list ---
  void write(std::vector<Op>& out) {
    out.clear();
    kernel_.marks.clear();
    kernel_.gaps.clear();
    std::vector<std::uint32_t>& start = kernel_.blocks;
    start.resize(blocks_.size());
    std::vector<std::pair<std::size_t, std::uint32_t>> ends;  // operation, block
    for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
      start[b] = static_cast<std::uint32_t>(out.size());
      write_block(b, out);
      ends.emplace_back(out.size() - 1, b);
    }
    for (Body& body : kernel_.bodies) body.entry = start[block_of_[body.flow]];
    for (const auto& [index, b] : ends) {
      Op& op = out[index];
      const Block& block = blocks_[b];
      const Flow& last = flow_[block.end - 1];
      if (block.post != no_op) op.join = start[block.post];
      if (op.fn == do_indirect) {
        std::vector<Row> targets;
        for (const std::uint32_t t : last.targets) targets.push_back(start[block_of_[t]]);
        op.offset = static_cast<std::int64_t>(targets.size());
        kernel_.lists.push_back(std::move(targets));
        op.rows = kernel_.lists.back().data();
      } else if (!last.targets.empty()) {
        op.target = start[block_of_[last.targets[0]]];
      } else {
        op.target = static_cast<std::uint32_t>(index + 1);
      }
    }
  }
  void write_block(std::uint32_t b, std::vector<Op>& out) {
    const Block& block = blocks_[b];
    std::uint32_t seq = 0, executed = 0, emitted = 0;
    std::uint32_t units_seq[counted_units] = {};
    const std::size_t marks = kernel_.marks.size();
    const auto put = [&](Op op, std::uint32_t weight) {
      op.seq = seq;
      seq += weight;
      if (is_counted(op.unit)) units_seq[counted_place(op.unit)] += weight;
      std::copy_n(units_seq, counted_units, op.units_seq);
      out.push_back(op);
    };
    const auto mark = [&](const Op& before) -> Mark& {
      Mark& made = kernel_.marks.emplace_back();
      made.op = static_cast<std::uint32_t>(out.size());
      made.pc = before.pc;
      made.seq = seq;
      std::copy_n(units_seq, counted_units, made.units_seq);
      return made;
    };
    Op extra;
    extra.pc = flow_[block.begin].op.pc;
    extra.weight = 0;
    if (block.joins) {
      extra.fn = do_join;
      put(extra, 0);
    }
    for (std::uint32_t i = block.begin; i < block.end; ++i) {
      Op op = flow_[i].op;
      if (!uses_[i].empty()) mark(op).slots = uses_[i];
      if (op.fn == do_emit) {
        Mark& made = mark(op);
        made.emits = true;
        made.op_class = op.op_class;
        made.sync = op.sync;
        made.operand = op.operand;
        ++emitted;
        continue;
      }
      if (op.fn != do_nothing) ++executed;
      const bool memory = flow_[i].memory != Flow::Memory::none || op.op_class == OpClass::atomic ||
                          op.op_class == OpClass::shared_store;
      const bool own_record = (memory && (op.flags & no_record) == 0) || op.op_class == OpClass::exit ||
                              op.op_class == OpClass::barrier;
      const std::uint32_t weight = own_record ? 0 : op.weight;
      op.weight = static_cast<std::uint8_t>(weight);
      op.executed = executed;
      if (op.guard != no_row && op.fn != do_branch && op.fn != do_exit) {
        op.inner = op.fn;
        op.fn = do_guard;
      }
      put(op, weight);
    }
    if (!flow_[block.end - 1].ends_block) {
      extra.fn = do_jump;
      extra.pc = flow_[block.end - 1].op.pc;
      extra.executed = executed;
      put(extra, 0);
    }
    out.back().recorded = seq + emitted;
    out.back().marked = kernel_.marks.size() != marks;
    out.back().gaps = gaps_of(block);
  }
  /// Index of the gaps of a block's instructions. Blocks after the 65535th distinct list are not counted.
  std::uint16_t gaps_of(const Block& block) {
    std::vector<std::string_view> reasons;
    std::uint32_t last = no_op;
    for (std::uint32_t i = block.begin; i < block.end; ++i) {
      const std::uint32_t pc = flow_[i].op.pc;
      if (pc == last || pc >= kernel_.code.size()) continue;
      last = pc;
      if (const std::string_view reason = gap_of(*kernel_.code[pc]); !reason.empty())
        reasons.push_back(reason);
    }
    if (reasons.empty()) return 0;
    const auto found = std::find(kernel_.gaps.begin(), kernel_.gaps.end(), reasons);
    const auto place = static_cast<std::size_t>(found - kernel_.gaps.begin());
    if (place >= 0xffff) return 0;
    if (found == kernel_.gaps.end()) kernel_.gaps.push_back(std::move(reasons));
    return static_cast<std::uint16_t>(place + 1);
  }

  DecodedKernel& kernel_;
  std::vector<Flow> flow_;
  const std::vector<std::uint8_t>& words_;
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> block_of_;
  std::vector<std::int32_t> slot_of_;
  std::vector<std::vector<std::uint32_t>> uses_;
  std::int32_t slots_ = 0;
};

}  // namespace

void lay_out(DecodedKernel& kernel, std::vector<Flow> flow, const std::vector<std::uint8_t>& register_words,
             int cap) {
  Layout(kernel, std::move(flow), register_words).run(cap);
  kernel.watched = find_watched(kernel);
}

std::shared_ptr<const DecodedKernel> laid_out(const DecodedKernel& kernel, int cap) {
  const std::lock_guard<std::mutex> lock(kernel.layouts->mutex);
  std::shared_ptr<const DecodedKernel>& known = kernel.layouts->by_cap[cap];
  if (known != nullptr) return known;
  const auto made = std::make_shared<DecodedKernel>(kernel);  // shares the lists of `kernel`
  made->layouts = nullptr;
  lay_out(*made, kernel.flow, kernel.words, cap);
  made->libraries = std::make_shared<PathLibraries>();
  return known = made;
}

namespace {

/// Dependences of the operations of a block.
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
  std::vector<std::uint8_t> feeds(n, 0);  // loads that compute another load's address go first
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
