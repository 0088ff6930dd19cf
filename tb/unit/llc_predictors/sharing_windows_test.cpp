#include "models/llc_predictors/sharing_windows.h"

#include <map>
#include <random>
#include <set>

#include "tb/support/catch.h"

using namespace strata;

TEST_CASE("lines by the number of clusters that touch them in a window") {
  SharingWindows windows({1000, 8});
  // Window 0: line 1 by clusters 0 and 3 (twice), line 2 by one. Window 1: line 1 by one. Window 5: line 3 by
  // all.
  windows.observe(1, 0, 0);
  windows.observe(1, 3, 500);
  windows.observe(1, 3, 999);
  windows.observe(2, 7, 999);
  windows.observe(1, 0, 1000);
  for (int cluster = 0; cluster < 8; ++cluster) windows.observe(3, cluster, 5000);
  CHECK(windows.lines() == 3);  // the last window is open
  windows.finish();
  CHECK(windows.lines() == 4);
  CHECK(windows.lines(1, 1) == 2);
  CHECK(windows.lines(2, 2) == 1);
  CHECK(windows.lines(3, 4) == 0);
  CHECK(windows.lines(5, 8) == 1);
  CHECK(windows.share_from(2) == Approx(0.5));
}

TEST_CASE("sharing windows agree with plain sets") {
  constexpr std::uint64_t seed = 31;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  SharingWindows windows({100, 160});  // more sharers than bits of a word, more lines than slots at first
  std::map<std::uint64_t, std::set<int>> window;
  std::map<std::size_t, std::uint64_t> expected;
  const auto close = [&] {
    for (const auto& [line, sharers] : window) ++expected[sharers.size()];
    window.clear();
  };
  for (Cycle now = 0; now < 1000; ++now) {
    if (now % 100 == 0) close();
    for (int i = 0; i < 50; ++i) {
      const std::uint64_t line = random() % 3000 * 64;
      const int sm = static_cast<int>(random() % 160);
      windows.observe(line, sm, now);
      window[line].insert(sm);
    }
  }
  close();
  windows.finish();
  REQUIRE(expected.size() > 4);
  for (int count = 1; count <= 160; ++count)
    CHECK(windows.lines(count, count) == expected[static_cast<std::size_t>(count)]);
}
