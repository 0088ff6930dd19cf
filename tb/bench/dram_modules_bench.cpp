// Requests per CPU-second of a memory controller and its channel behind their sockets, the channel checking
// every command: the four patterns of docs/blocks/memory-controller.md, a line of one or more CAS each.
//   bench_dram_modules [TIMING_SET [PATTERN]]
// Each pattern runs in a process of its own, as a process elaborates once. 30 % of a mixed stream are writes.
#include <cstdio>
#include <ctime>
#include <memory>
#include <random>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "models/dram_channel/dram_channel.h"
#include "models/memory_controller/memory_controller.h"
#include "models/tlm/txn_pool.h"
#include "platforms/engine/timing_sets.h"

namespace {

using namespace strata;

struct NoStats final : StatSet {
  void for_each_stat(StatVisitor&) const override {}
};

/// An LLC slice that asks for line after line, as fast as it may or one every `gap` cycles.
class Source final : public Block {
 public:
  Source(sc_core::sc_module_name name, ClockDomain& clock, std::vector<Address> lines, double writes,
         Cycle gap)
      : Block(name, clock), mem(*this, "mem", 0), lines_(std::move(lines)), gap_(gap) {
    std::mt19937_64 random(2);
    for (std::size_t i = 0; i < lines_.size(); ++i)
      write_.push_back(static_cast<double>(random() % 1000) < writes * 1000);
    book(1);
  }
  void advance(Cycle now, int) override {
    if (next_ == lines_.size() || mem.blocked()) return;
    if (now < free_) return book(free_);
    Txn& txn = pool_.make(write_[next_] ? AccessClass::writeback : AccessClass::load, lines_[next_], 0xf,
                          ledger_now());
    const Accept accept = mem.send(txn);
    if (accept.is_taken()) request_unblocked(0, accept.at);
  }
  void request_unblocked(int, Cycle at) override {
    free_ = std::max(at + 1, gap_ * ++next_);
    if (next_ < lines_.size()) book(free_);
  }
  Accept response(Txn& txn, int, Cycle at) override {
    txn.release();
    return Accept::taken(at + 1);
  }
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}
  InitiatorPort mem;

 private:
  std::vector<Address> lines_;
  std::vector<bool> write_;
  Cycle gap_;
  TxnPool pool_;
  std::size_t next_ = 0;
  Cycle free_ = 0;
  NoStats stats_;
};

std::vector<Address> lines_of(const std::string& pattern, const MemoryControllerParams& params,
                              std::size_t count) {
  std::mt19937_64 random(1);
  const Address row_of_bank =
      params.timing.row_bytes;  // row_bank_group_column: the next row is the next group's
  const auto banks = static_cast<Address>(params.timing.banks());
  std::vector<Address> lines(count);
  for (std::size_t i = 0; i < count; ++i)
    lines[i] = pattern == "random"     ? random() % (row_of_bank * banks * 64) / 128 * 128
               : pattern == "row_miss" ? i * row_of_bank
                                       : i * 128;
  return lines;
}

void measure(const std::string& set, const std::string& pattern) {
  constexpr std::size_t count = 500'000;
  MemoryControllerParams params;
  params.slices = 1;
  params.interleave = Interleave::row_bank_group_column;
  params.timing_set = set;
  params.timing = platforms::load_timing_set(set, {"platforms/machines/timing_sets"});
  DramChannelParams channel_params;
  channel_params.timing_set = set;
  channel_params.timing = params.timing;
  AddressMapParams map_params;
  map_params.channels = map_params.slices_per_channel = 1;
  const auto map = make_address_map(map_params);
  ClockDomain clock("clock", params.timing.clock);
  const BuildContext context{clock, *map};
  MemoryController controller("controller", params, context);
  DramChannel channel("channel", channel_params, context);
  Source source("source", clock, lines_of(pattern, params, count), pattern == "mixed" ? 0.3 : 0,
                pattern == "sparse" ? 100 : 0);
  controller.channel().bind_to(channel.controller());
  source.mem.bind_to(controller.slice(0));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const std::clock_t begin = std::clock();
  sc_core::sc_start();
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::printf(
      "%-14s %-9s %6.0f thousand requests per CPU s, row hits %4.1f %%, data bus %4.1f %% busy\n",
      set.c_str(), pattern.c_str(), static_cast<double>(count) / seconds / 1e3,
      100.0 * static_cast<double>(controller.core().stats().row_hits) / count,
      100.0 * static_cast<double>(channel.core().stats().data_bus_busy) / static_cast<double>(clock.now()));
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  const std::string set = argc > 1 ? argv[1] : "gddr5_isca19";
  if (argc > 2) {
    measure(set, argv[2]);
    return 0;
  }
  for (const char* pattern : {"stream", "mixed", "random", "row_miss", "sparse"}) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      measure(set, pattern);
      std::fflush(stdout);
      _exit(0);
    }
    waitpid(child, nullptr, 0);
  }
  return 0;
}
