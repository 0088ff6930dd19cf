#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "models/l1/cache_design.h"

namespace strata::tb {

/// Chunks of a line, one by one.
using Chunks = std::vector<bool>;

/// Where chunks lie: what docs/blocks/l1.md says of an organization, as plainly as possible.
class NaiveStore {
 public:
  virtual ~NaiveStore() = default;
  virtual bool present(std::uint64_t line, int chunk) const = 0;
  /// An access asks for these; those that are here, or have room reserved, have been used.
  virtual void use(std::uint64_t line, const Chunks& asked) = 0;
  /// Room for `fresh` chunks, so that none of `asked` makes room; false: there is none, and nothing has
  /// changed.
  virtual bool reserve(std::uint64_t line, const Chunks& asked, const Chunks& fresh) = 0;
  virtual void arrive(std::uint64_t line, const Chunks& chunks) = 0;
  virtual void drop(std::uint64_t line, const Chunks& chunks) = 0;
  virtual void clear() = 0;
};

/// An L1 that fetches chunks: MSHRs as lists, everything searched from end to end.
class NaiveL1 {
 public:
  struct Rules {
    int line_chunks = 4;
    int mshrs = 32;
    int merges = 8;
    bool whole_lines = false;   // mode: coarse
    bool evict_chunks = false;  // evict: chunks
  };
  struct Answer {
    L1Outcome outcome;
    L1Stall stall = L1Stall::none;
    Chunks fetched = {};
    int fetch = -1;  // number among all fetches of this L1
  };

  NaiveL1(const Rules& rules, NaiveStore& store) : rules_(rules), store_(store) {}
  Answer load(std::uint64_t line, Chunks asked, int access, bool room);
  Answer pass(std::uint64_t line, const Chunks& chunks, bool writes, bool room);
  /// Who leaves, in order.
  std::vector<int> fill(int fetch);
  void flush();

 private:
  struct Waiter {
    int access;
    Chunks missing;
  };
  struct Register {
    bool stale = false;
    int joined = 0;
    std::vector<Waiter> waiters;
    std::map<int, Chunks> fetches;
    Chunks under_way(int chunks) const;
  };
  Rules rules_;
  NaiveStore& store_;
  std::map<std::uint64_t, Register> registers_;  // by line
  int fetches_ = 0;
};

}  // namespace strata::tb
