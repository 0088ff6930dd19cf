#pragma once

#include <memory>
#include <utility>

#include "models/cache/prefetcher.h"

namespace strata::tb {

/// After a load of line 0 it names line 1, and nothing else.
struct OneLine final : Prefetcher {
  void observe(const PrefetchTrigger& trigger) override { names = trigger.line == 0; }
  bool next(std::uint64_t& line) override {
    line = 1;
    return std::exchange(names, false);
  }
  bool names = false;
};

/// Adds OneLine to the table of prefetchers. Returns its place there.
inline int one_line() {
  PrefetcherRow::table().add(
      {"one_line", "line 1 after line 0",
       [](const PrefetchParams&) -> std::unique_ptr<Prefetcher> { return std::make_unique<OneLine>(); },
       [](const PrefetchParams&) { return std::uint64_t{0}; }});
  return PrefetcherRow::table().find("one_line");
}

}  // namespace strata::tb
