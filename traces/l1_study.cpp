#include "traces/l1_study.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "models/common/coalesce.h"
#include "models/common/units.h"

namespace strata::traces {
namespace {

/// Tags of a set-associative cache with LRU and hashed sets; no timing.
class FunctionalCache {
 public:
  struct Entry {
    Address number = free_number;  ///< of the line
    std::uint8_t sectors = 0;      ///< used since it was filled
    bool used() const { return number != free_number; }
  };

  FunctionalCache(std::uint64_t lines, int ways)
      : ways_(static_cast<std::size_t>(ways)),
        sets_(std::max<std::uint64_t>(1, lines / static_cast<std::uint64_t>(ways))),
        entries_(sets_ * ways_) {}

  /// True on a hit; else the line is filled, and `left` is the evicted line (free if there was none).
  bool load(Address number, std::uint8_t sectors, Entry& left) {
    Entry* const set = set_of(number);
    std::size_t way = 0;
    while (way < ways_ && set[way].number != number) ++way;
    const bool hit = way < ways_;
    Entry entry{number, sectors};
    if (hit) {
      entry.sectors = static_cast<std::uint8_t>(sectors | set[way].sectors);
    } else {
      way = ways_ - 1;
      left = set[way];
    }
    for (; way > 0; --way) set[way] = set[way - 1];
    set[0] = entry;
    return hit;
  }
  /// Removes a line; free if it was absent.
  Entry drop(Address number) {
    Entry* const set = set_of(number);
    std::size_t way = 0;
    while (way < ways_ && set[way].number != number) ++way;
    if (way == ways_) return {};
    const Entry gone = set[way];
    for (; way + 1 < ways_; ++way) set[way] = set[way + 1];
    set[ways_ - 1] = {};
    return gone;
  }
  std::vector<Entry>& entries() { return entries_; }

 private:
  static constexpr Address free_number = ~Address{0};
  Entry* set_of(Address number) {
    const std::uint64_t hash = number * 0x9e3779b97f4a7c15 >> 32;
    return &entries_[static_cast<std::size_t>(hash * sets_ >> 32) * ways_];
  }

  std::size_t ways_;
  std::uint64_t sets_;
  std::vector<Entry> entries_;
};

const L1Machine machines[] = {
    {"adaptive-LLC", 80, 2048, 32, 65536, 64 << 10, 48 << 10, 6, true},
    {"selective replication", 64, 2048, 32, 65536, 64 << 10, 48 << 10, 6, true},
    {"DC-L1", 80, 1536, 8, 32768, 48 << 10, 16 << 10, 4, false},
    {"TSC", 15, 1536, 8, 32768, 48 << 10, 16 << 10, 4, false},
    {"GDC", 4, 2048, 32, 65536, 64 << 10, 24 << 10, 48, false},
};

/// The L1s of a machine, their variants, and how many L1s hold each line.
class L1s {
 public:
  L1s(const L1Machine& machine, L1Figures& figures) : figures_(figures) {
    const std::uint64_t lines = machine.l1_bytes / 128;
    for (int s = 0; s < machine.sms; ++s) {
      normal_.emplace_back(lines, machine.ways);
      large_.emplace_back(16 * lines, machine.ways);
      fine_.emplace_back(4 * lines, machine.ways);
    }
    common_.emplace_back(lines * static_cast<std::uint64_t>(machine.sms), machine.ways);
  }

  void access(const WarpInstruction& instruction, const CtaTrace& cta, int sm) {
    coalesce(instruction, cta, 128, lines_);
    const bool load = instruction.op == OpClass::load || instruction.op == OpClass::read_only_load;
    if (load && !instruction.bypass_l1) ++figures_.loads;
    for (const LineAccess& line : lines_) {
      if (!load)
        store(line, sm);
      else if (!instruction.bypass_l1)
        this->load(line, sm);
    }
  }
  /// Called between turns, now and then.
  void sample() {
    if (holders_.empty()) return;
    copies_ += static_cast<double>(held_) / static_cast<double>(holders_.size());
    ++samples_;
  }
  void flush() {
    for (std::vector<FunctionalCache>* caches : {&normal_, &large_, &fine_, &common_})
      for (FunctionalCache& cache : *caches)
        for (FunctionalCache::Entry& entry : cache.entries()) {
          if (caches == &normal_) leave(entry);
          entry = {};
        }
  }
  void finish() {
    flush();
    figures_.copies = samples_ == 0 ? 0 : copies_ / static_cast<double>(samples_);
  }

 private:
  void load(const LineAccess& line, int sm) {
    const auto at = static_cast<std::size_t>(sm);
    const Address number = line.line / 128;
    FunctionalCache::Entry left, ignored;
    ++figures_.accesses;
    if (!normal_[at].load(number, line.sectors, left)) {
      ++figures_.misses;
      leave(left);
      const int others = holders_[number]++;
      ++held_;
      figures_.replicated += others > 0 ? 1 : 0;
    }
    figures_.large_misses += large_[at].load(number, line.sectors, ignored) ? 0 : 1;
    figures_.common_misses += common_[0].load(number, line.sectors, ignored) ? 0 : 1;
    for (unsigned sector = 0; sector < 4; ++sector)
      if ((line.sectors >> sector & 1) != 0) {
        ++figures_.sectors;
        figures_.fine_misses += fine_[at].load(number * 4 + sector, 1, ignored) ? 0 : 1;
      }
  }
  void store(const LineAccess& line, int sm) {
    const auto at = static_cast<std::size_t>(sm);
    const Address number = line.line / 128;
    leave(normal_[at].drop(number));
    large_[at].drop(number);
    common_[0].drop(number);
    for (unsigned sector = 0; sector < 4; ++sector)
      if ((line.sectors >> sector & 1) != 0) fine_[at].drop(number * 4 + sector);
  }
  void leave(const FunctionalCache::Entry& entry) {
    if (!entry.used()) return;
    ++figures_.lines_left;
    figures_.sectors_used += static_cast<unsigned>(__builtin_popcount(entry.sectors));
    const auto holder = holders_.find(entry.number);
    --held_;
    if (--holder->second == 0) holders_.erase(holder);
  }

  L1Figures& figures_;
  std::vector<FunctionalCache> normal_, large_, fine_, common_;
  std::unordered_map<Address, int> holders_;
  std::uint64_t held_ = 0, samples_ = 0;
  double copies_ = 0;
  LineAccesses lines_;
};

/// The CTAs of an SM, in round-robin order.
class Sm {
 public:
  bool has_room(const L1Machine& machine, const KernelInfo& kernel) const {
    const std::uint32_t more = resident_ + 1;
    return resident_ == 0 || (more <= machine.ctas && more * kernel.warps_per_cta() * 32 <= machine.threads &&
                              more * kernel.warps_per_cta() * 32 * kernel.registers <= machine.registers &&
                              more * kernel.shared_bytes <= machine.shared_bytes);
  }
  void start(const std::shared_ptr<const CtaTrace>& cta) {
    const auto left = std::make_shared<std::size_t>(cta->warps());
    for (std::size_t w = 0; w < cta->warps(); ++w)
      warps_.push_back({cta, left, cta->warp_begin[w], cta->warp_begin[w + 1]});
    resident_ += cta->warps() == 0 ? 0 : 1;
  }
  bool idle() const { return warps_.empty(); }
  /// The next warp makes its next access; a warp without accesses ends.
  void step(L1s& l1s, int number) {
    if (turn_ >= warps_.size()) turn_ = 0;
    Warp& warp = warps_[turn_];
    while (warp.at < warp.end && !touches_global_memory(warp.cta->instructions[warp.at].op)) ++warp.at;
    if (warp.at < warp.end) {
      l1s.access(warp.cta->instructions[warp.at++], *warp.cta, number);
      ++turn_;
      return;
    }
    if (--*warp.left == 0) --resident_;
    warps_.erase(warps_.begin() + static_cast<std::ptrdiff_t>(turn_));
  }

 private:
  struct Warp {
    std::shared_ptr<const CtaTrace> cta;
    std::shared_ptr<std::size_t> left;  ///< remaining warps of the CTA
    std::uint32_t at, end;
  };
  std::vector<Warp> warps_;
  std::size_t turn_ = 0;
  std::uint32_t resident_ = 0;
};

class Study {
 public:
  Study(InstructionSource& source, const L1Machine& machine, std::uint64_t window)
      : source_(source), machine_(machine), window_(window), l1s_(machine, figures_) {}

  L1Figures run() {
    for (const KernelInfo& kernel : source_.kernels()) {
      if (figures_.instructions >= window_) break;
      launch(kernel);
      if (machine_.flushed) l1s_.flush();
    }
    l1s_.finish();
    return figures_;
  }

 private:
  void launch(const KernelInfo& kernel) {
    std::vector<Sm> sms(static_cast<std::size_t>(machine_.sms));
    next_ = 0;
    for (bool placed = true; placed;) {  // CTAs to SMs, round robin
      placed = false;
      for (Sm& sm : sms) placed = place(kernel, sm) || placed;
    }
    for (bool busy = true; busy; ++turns_) {
      busy = false;
      for (std::size_t s = 0; s < sms.size(); ++s) {
        if (sms[s].idle()) continue;
        busy = true;
        sms[s].step(l1s_, static_cast<int>(s));
        place(kernel, sms[s]);
      }
      if (turns_ % 256 == 0) l1s_.sample();
    }
  }
  bool place(const KernelInfo& kernel, Sm& sm) {
    if (next_ == kernel.ctas() || figures_.instructions >= window_ || !sm.has_room(machine_, kernel))
      return false;
    const auto cta = source_.fetch(kernel.id, next_++);
    count(*cta);
    sm.start(cta);
    return true;
  }
  void count(const CtaTrace& cta) {
    for (const WarpInstruction& i : cta.instructions) {
      figures_.instructions += static_cast<std::uint64_t>(i.active_lanes()) * i.weight;
      (touches_global_memory(i.op) ? figures_.memory : figures_.others) += i.weight;
    }
  }

  InstructionSource& source_;
  const L1Machine& machine_;
  std::uint64_t window_, next_ = 0, turns_ = 0;
  L1Figures figures_;
  L1s l1s_;
};

}  // namespace

const L1Machine* find_l1_machine(const std::string& paper) {
  for (const L1Machine& machine : machines)
    if (machine.name == paper) return &machine;
  return nullptr;
}

L1Figures study_l1(InstructionSource& source, const L1Machine& machine, std::uint64_t window) {
  return Study(source, machine, window).run();
}

}  // namespace strata::traces
