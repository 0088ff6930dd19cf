// Reads that the core plans before they come, accepted in any order of time.
#include <algorithm>
#include <random>

#include "models/memory_controller/memory_controller_core.h"
#include "models/memory_controller/replay.h"
#include "models/tlm/slot_calendar.h"
#include "platforms/timing_sets.h"
#include "tb/property/dram_rule_checker.h"
#include "tb/support/catch.h"

using namespace strata;

namespace {

/// A core that takes requests as MemoryControllerLt hands them over: reads up to `foresight` cycles before
/// they come.
class Foreseen {
 public:
  Foreseen(const MemoryControllerParams& params, std::uint64_t seed, Cycle foresight)
      : set_(params.timing), core_(params), random_(seed), foresight_(foresight) {
    core_.read_ahead(params);
  }

  std::vector<ReplayCommand> run(int count, int rows, unsigned writes_percent) {
    Cycle now = 0;
    while (count > 0 || core_.next_action() != never) {
      now = count > 0 ? now + 1 : core_.next_action();
      if (core_.next_action() <= now) advance(now);
      if (count > 0 && random_() % 3 == 0) count -= admit(now, rows, random_() % 100 < writes_percent);
    }
    core_.leave(now + 10'000);
    CHECK(core_.idle());
    std::stable_sort(commands_.begin(), commands_.end(),
                     [](const ReplayCommand& a, const ReplayCommand& b) { return a.cycle < b.cycle; });
    return commands_;
  }
  const MemoryControllerStats& stats() const { return core_.stats(); }

 private:
  void advance(Cycle now) {
    std::array<IssuedCommand, 2> issued{};
    const int count = core_.advance(now, issued);
    for (int i = 0; i < count; ++i) {
      const IssuedCommand& c = issued[static_cast<std::size_t>(i)];
      note(now, c.command, c.bank, c.row);
    }
    note_planned();
  }
  int admit(Cycle now, int rows, bool write) {
    DramRequest request;
    request.bank = static_cast<std::uint8_t>(random_() % static_cast<unsigned>(set_.banks()));
    request.row = static_cast<std::int64_t>(random_() % static_cast<unsigned>(rows));
    request.write = write;
    request.column = write ? 1 : 0;  // nothing is forwarded
    const bool ahead = core_.reading_ahead() && !write;
    const Cycle at = now + (ahead ? random_() % (foresight_ + 1) : 0);
    core_.leave(at);
    if (!core_.has_room(write)) return 0;
    slots_.slide(now);
    const Cycle accepted = slots_.book(at, 1);
    if (!ahead) {
      core_.admit(request, accepted);
    } else if (core_.hits_ahead({request.bank, request.row, 0})) {
      note(core_.admit_hit(request.bank, 1, accepted, now).last, DramCommand::rd, request.bank, request.row);
    } else {
      if (core_.admit_ahead(request, accepted, now) == nullptr) note(request);
      note_planned();
    }
    return 1;
  }
  void note_planned() {
    core_.take_commands([this](const RowCommand& c) { note(c.at, c.command, c.bank, c.row); });
    core_.take_planned([this](const DramRequest& request) { note(request); });
  }
  void note(const DramRequest& planned) {
    REQUIRE(planned.first_cas > planned.accepted);
    note(planned.last_cas, DramCommand::rd, planned.bank, planned.row);
  }
  void note(Cycle cycle, DramCommand command, int bank, std::int64_t row) {
    commands_.push_back(
        {cycle, command, bank / set_.banks_per_group, bank % set_.banks_per_group, row, 0, 0});
  }

  TimingSet set_;
  MemoryControllerCore core_;
  std::mt19937_64 random_;
  Cycle foresight_;
  SlotCalendar slots_;
  std::vector<ReplayCommand> commands_;
};

}  // namespace

TEST_CASE("reads planned before they come break no rule and lose nothing") {
  for (const char* set : {"hbm_bl4", "hbm_bl2", "gddr5", "gddr5_isca19", "hbm2", "hbm3", "gddr6"}) {
    MemoryControllerParams params;
    params.timing_set = set;
    REQUIRE(platforms::resolve_timing_set(params, {"platforms/timing_sets"}).empty());
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
      INFO("set " << set << ", seed " << seed);
      constexpr int rows[] = {1, 3, 1000};
      Foreseen foreseen(params, seed, seed % 2 == 0 ? 16 : 40);
      const auto commands = foreseen.run(2000, rows[seed % 3], seed % 4 == 0 ? 0 : 10);
      REQUIRE(test::TraceJudge(params.timing).judge(commands) == "");
      const MemoryControllerStats& s = foreseen.stats();
      CHECK(s.accepted == 2000);
      CHECK(s.reads == s.reads_finished);
      CHECK(s.writes == s.writes_finished);
      CHECK(s.started == s.row_hits + s.row_misses + s.row_conflicts);
    }
  }
}
