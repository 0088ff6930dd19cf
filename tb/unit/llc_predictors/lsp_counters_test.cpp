#include "models/llc_predictors/lsp_counters.h"

#include "tb/support/catch.h"

using namespace strata;

TEST_CASE("LSP is 1 when one slice gets everything and N when all get the same") {
  for (const int slices : {1, 8, 64}) {
    LspCounters counters(LspParams{slices, 16, 0});
    CHECK(counters.lsp() == 0);
    for (int i = 0; i < 1000; ++i) counters.count(slices - 1, 0);
    CHECK(counters.lsp() == Approx(1));
    counters.reset(0);
    for (int i = 0; i < 100 * slices; ++i) counters.count(i % slices, 0);
    CHECK(counters.lsp() == Approx(slices));
  }
}

TEST_CASE("LSP over windows weights each by its busiest slice") {
  // Window 0: slice 0 four times, LSP 1. Window 1: slices 0 and 1 twice each, LSP 2. Over both: 8 / (4 + 2).
  // One long window sees 6 and 2: 8 / 6 as well here, but camping that moves shows the difference:
  LspCounters windows(LspParams{2, 16, 100});
  for (const Cycle now : {0, 10, 20, 99}) windows.count(0, now);
  windows.count(0, 100);
  windows.count(1, 100);
  windows.count(0, 199);
  windows.count(1, 50);  // late: counts in the open window
  CHECK(windows.lsp() == Approx(8.0 / 6));
  CHECK(windows.accesses() == 8);
  CHECK(windows.busiest() == 6);

  LspCounters moving(LspParams{2, 16, 100});
  LspCounters whole(LspParams{2, 16, 0});
  for (Cycle now = 0; now < 1000; now += 10)
    for (LspCounters* counters : {&moving, &whole}) counters->count(static_cast<int>(now / 100 % 2), now);
  CHECK(moving.lsp() == Approx(1));  // in each window only one slice works
  CHECK(whole.lsp() == Approx(2));
  CHECK(whole.storage_bits() == 32);
  CHECK(moving.storage_bits() == 32 + 64);
}

TEST_CASE("LSP counters saturate and then look more even than the slices are") {
  LspCounters counters(LspParams{2, 16, 0});
  for (int i = 0; i < 70000; ++i) counters.count(0, 0);
  CHECK(counters.counter(0) == 65535);
  CHECK(counters.saturated());
  for (int i = 0; i < 65535; ++i) counters.count(1, 0);
  CHECK(counters.lsp() == Approx(2));
  counters.reset(5);
  CHECK_FALSE(counters.saturated());
  CHECK(counters.accesses() == 0);
}

TEST_CASE("private LSP is that of one cluster times the clusters") {
  // 8 controllers, the first cluster sends 3 requests to one and 1 to another: LSP 4/3; 8 clusters: 32/3.
  LspCounters counters(LspParams{8, 16, 0});
  for (const int controller : {0, 0, 0, 5}) counters.count(controller, 0);
  CHECK(private_lsp(counters, 8) == Approx(32.0 / 3));
  CHECK(counters.storage_bits() == 16 * 8);  // the paper's 16 bytes
}
