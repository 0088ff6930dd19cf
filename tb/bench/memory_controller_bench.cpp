// Requests per second of one channel's controller core: the four patterns of
// docs/blocks/memory-controller.md.
#include <benchmark/benchmark.h>
#include <random>

#include "models/memory_controller/memory_controller_core.h"
#include "platforms/engine/timing_sets.h"

namespace {

using namespace strata;

enum Pattern { stream, random_rows, row_miss, sparse };

std::vector<DramRequest> requests(Pattern pattern, int count) {
  std::mt19937_64 random(1);
  std::vector<DramRequest> list(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    DramRequest& r = list[static_cast<std::size_t>(i)];
    switch (pattern) {
      case stream:
      case sparse:  // 32 adjacent lines, then the next bank
        r.bank = static_cast<std::uint8_t>(i / 32 % 16);
        r.row = i / 512;
        r.column = i % 32;
        break;
      case random_rows:
        r.bank = static_cast<std::uint8_t>(random() % 16);
        r.row = static_cast<std::int64_t>(random() % 64);
        r.column = static_cast<int>(random() % 128);
        break;
      case row_miss:
        r.bank = static_cast<std::uint8_t>(i % 16);
        r.row = i / 16;
        break;
    }
  }
  return list;
}

void serve(MemoryControllerCore& core, const std::vector<DramRequest>& list, Cycle gap) {
  std::array<IssuedCommand, 2> issued{};
  std::size_t next = 0;
  Cycle free_at = 0;
  const auto offer = [&] {
    return next < list.size() && core.has_room(false) ? std::max(free_at, gap * next) : never;
  };
  while (next < list.size() || !core.idle()) {
    const Cycle now = std::min(offer(), core.next_action());
    if (core.next_action() == now) {
      core.advance(now, issued);
      free_at = std::max(free_at, now);
    }
    if (offer() > now) continue;
    core.admit(list[next++], now);
    free_at = now + 1;
  }
}

void memory_controller(benchmark::State& state, Pattern pattern, const char* set) {
  MemoryControllerParams params;
  params.timing_set = set;
  params.timing = platforms::load_timing_set(set, {"platforms/machines/timing_sets"});
  const std::vector<DramRequest> list = requests(pattern, 100'000);
  for (auto _ : state) {
    MemoryControllerCore core(params);
    serve(core, list, pattern == sparse ? 100 : 0);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(list.size()));
}

BENCHMARK_CAPTURE(memory_controller, stream_hbm_bl4, stream, "hbm_bl4");
BENCHMARK_CAPTURE(memory_controller, stream_gddr5, stream, "gddr5");
BENCHMARK_CAPTURE(memory_controller, random_hbm_bl4, random_rows, "hbm_bl4");
BENCHMARK_CAPTURE(memory_controller, random_gddr5, random_rows, "gddr5");
BENCHMARK_CAPTURE(memory_controller, row_miss_hbm_bl4, row_miss, "hbm_bl4");
BENCHMARK_CAPTURE(memory_controller, row_miss_gddr5, row_miss, "gddr5");
BENCHMARK_CAPTURE(memory_controller, sparse_hbm_bl4, sparse, "hbm_bl4");
BENCHMARK_CAPTURE(memory_controller, sparse_gddr5, sparse, "gddr5");

}  // namespace

BENCHMARK_MAIN();
