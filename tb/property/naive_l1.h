#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "models/l1/cache_design.h"

namespace strata::tb {

/// Sectors of a line, one by one.
using Sectors = std::vector<bool>;

/// Where sectors lie: what docs/blocks/l1.md says of an organization, as plainly as possible.
class NaiveStore {
 public:
  virtual ~NaiveStore() = default;
  virtual bool present(std::uint64_t line, int sector) const = 0;
  /// An access asks for these; those that are here, or have room reserved, have been used.
  virtual void use(std::uint64_t line, const Sectors& asked) = 0;
  /// Reserves `fresh` sectors without evicting any of `asked`; false: impossible, and nothing has
  /// changed.
  virtual bool reserve(std::uint64_t line, const Sectors& asked, const Sectors& fresh) = 0;
  virtual void arrive(std::uint64_t line, const Sectors& sectors) = 0;
  virtual void drop(std::uint64_t line, const Sectors& sectors) = 0;
  virtual void clear() = 0;
};

/// An L1 that fetches sectors: MSHRs as lists, everything searched from end to end.
class NaiveL1 {
 public:
  struct Rules {
    int line_sectors = 4;
    int mshrs = 32;
    int merges = 8;
    bool whole_lines = false;    // mode: coarse
    bool evict_sectors = false;  // evict: sectors
  };
  struct Answer {
    L1Outcome outcome;
    L1Stall stall = L1Stall::none;
    Sectors fetched = {};
    int fetch = -1;  // number among all fetches of this L1
  };

  NaiveL1(const Rules& rules, NaiveStore& store) : rules_(rules), store_(store) {}
  Answer load(std::uint64_t line, Sectors asked, int access, bool room);
  Answer pass(std::uint64_t line, const Sectors& sectors, bool writes, bool room);
  /// Who leaves, in order.
  std::vector<int> fill(int fetch);
  void flush();

 private:
  struct Waiter {
    int access;
    Sectors missing;
  };
  struct Register {
    bool stale = false;
    int joined = 0;
    std::vector<Waiter> waiters;
    std::map<int, Sectors> fetches;
    Sectors under_way(int sectors) const;
  };
  Rules rules_;
  NaiveStore& store_;
  std::map<std::uint64_t, Register> registers_;  // by line
  int fetches_ = 0;
};

}  // namespace strata::tb
