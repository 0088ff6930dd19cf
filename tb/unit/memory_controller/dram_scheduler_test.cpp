// Timing as in controller_log.h; row cycle nRC 40.
#include "models/memory_controller/dram_scheduler.h"

#include "models/memory_controller/memory_controller_core.h"
#include "models/memory_controller/row_policy.h"
#include "tb/support/catch.h"
#include "tb/support/controller_log.h"

using namespace strata;
using tb::Log;
using tb::request;
using tb::run;

namespace {

/// A request opens row 5; then an older one for row 6 and two younger ones for row 5 wait.
Log row_hits_behind_a_conflict(MemoryControllerCore& core) {
  core.admit(request(false, 0, 5, 0, 0), 0);
  core.admit(request(false, 0, 6, 0, 1), 1);
  core.admit(request(false, 0, 5, 1, 2), 2);
  core.admit(request(false, 0, 5, 2, 3), 3);
  return run(core);
}

}  // namespace

TEST_CASE("places of schedulers and row policies are those of their enumerations") {
  const auto& schedulers = DramSchedulerRow::table();
  CHECK(schedulers.names() == std::vector<std::string>{"fr_fcfs", "fcfs", "fr_fcfs_cap"});
  CHECK(schedulers.find("fr_fcfs_cap") == static_cast<int>(DramOrder::fr_fcfs_cap));
  const auto& policies = RowPolicyRow::table();
  CHECK(policies.names() == std::vector<std::string>{"open", "closed", "timeout", "adaptive"});
  CHECK(policies.find("adaptive") == static_cast<int>(PagePolicy::adaptive));
}

TEST_CASE("fcfs: row hits do not pass the oldest request of their bank") {
  MemoryControllerParams params;
  params.scheduler = DramOrder::fcfs;
  MemoryControllerCore core{params};
  // PRE for #1 when tRAS 28 has passed since the ACT in 1, although #2 and #3 want row 5; ACT and RD 12 later
  // each. Then #2 closes row 6, 28 after its ACT, and #3 finds its row open, tCCDL 2 after #2.
  CHECK(row_hits_behind_a_conflict(core) == Log{"1 ACT b0 r5 #0", "13 RD b0 r5 c0 #0", "29 PRE b0 #1",
                                                "41 ACT b0 r6 #1", "53 RD b0 r6 c0 #1", "69 PRE b0 #2",
                                                "81 ACT b0 r5 #2", "93 RD b0 r5 c1 #2", "95 RD b0 r5 c2 #3"});
  CHECK(core.stats().lost_row_hits == 2);
  CHECK(core.stats().starved == 1);
  CHECK(core.stats().row_conflicts == 2);
  CHECK(core.stats().row_hits == 1);
}

TEST_CASE("fcfs: banks work side by side") {
  MemoryControllerParams params;
  params.scheduler = DramOrder::fcfs;
  MemoryControllerCore core{params};
  core.admit(request(false, 0, 5, 0, 0), 0);
  core.admit(request(false, 0, 6, 0, 1), 1);
  core.admit(request(false, 4, 7, 0, 2), 2);  // of another bank group: its ACT tRRD 6 after the first
  CHECK(run(core) == Log{"1 ACT b0 r5 #0", "7 ACT b4 r7 #2", "13 RD b0 r5 c0 #0", "19 RD b4 r7 c0 #2",
                         "29 PRE b0 #1", "41 ACT b0 r6 #1", "53 RD b0 r6 c0 #1"});
  CHECK(core.stats().lost_row_hits == 0);
}

TEST_CASE("fr_fcfs_cap: so many row hits in a row pass the oldest request, and no more") {
  MemoryControllerParams params;
  params.scheduler = DramOrder::fr_fcfs_cap;
  params.row_hit_cap = 1;
  MemoryControllerCore core{params};
  // #2 passes #1, #3 does not: it must open row 5 anew, nRC 40 after the ACT in 41.
  CHECK(row_hits_behind_a_conflict(core) == Log{"1 ACT b0 r5 #0", "13 RD b0 r5 c0 #0", "15 RD b0 r5 c1 #2",
                                                "29 PRE b0 #1", "41 ACT b0 r6 #1", "53 RD b0 r6 c0 #1",
                                                "69 PRE b0 #3", "81 ACT b0 r5 #3", "93 RD b0 r5 c2 #3"});
  CHECK(core.stats().lost_row_hits == 1);
  params.row_hit_cap = 2;
  MemoryControllerCore both{params};
  row_hits_behind_a_conflict(both);
  CHECK(both.stats().row_hits == 2);
  CHECK(both.stats().lost_row_hits == 0);
}

TEST_CASE("a row hit lost to the starvation cap is not lost to the scheduler") {
  MemoryControllerParams params;
  params.starvation_cap = 15;  // #1, accepted in 1, is passed until 16: #2 passes, #3 does not
  MemoryControllerCore core{params};
  row_hits_behind_a_conflict(core);
  CHECK(core.stats().starved == 1);
  CHECK(core.stats().lost_row_hits == 0);
}

TEST_CASE("a scheduler with ranks of its own orders the requests of a bank and the banks") {
  struct ByApplication final : DramScheduler {
    bool lets_pass(const DramRequest& hit, const DramRequest& first) const override {
      return rank(hit) <= rank(first);
    }
    Cycle rank(const DramRequest& request) const override { return request.application; }
  };
  DramSchedulerRow::table().add({"by_application", "the first application first",
                                 [](const MemoryControllerParams&) -> std::unique_ptr<DramScheduler> {
                                   return std::make_unique<ByApplication>();
                                 }});
  MemoryControllerParams params;
  params.scheduler = static_cast<DramOrder>(DramSchedulerRow::table().find("by_application"));
  MemoryControllerCore core{params};
  const auto admit = [&](int bank, std::int64_t row, std::uint64_t id, std::uint8_t application, Cycle now) {
    DramRequest of = request(false, bank, row, 0, id);
    of.application = application;
    core.admit(of, now);
  };
  admit(0, 5, 0, 1, 0);
  admit(0, 6, 1, 1, 1);
  admit(0, 7, 2, 0, 2);
  admit(4, 5, 3, 1, 3);
  admit(8, 5, 4, 0, 4);
  // In 7, tRRD 6 after the first ACT, banks 4 and 8 can both open a row: bank 8 does. In 13 the RD of #0
  // takes the bus. In bank 0 #2 goes before #1.
  CHECK(run(core) == Log{"1 ACT b0 r5 #0", "7 ACT b8 r5 #4", "13 RD b0 r5 c0 #0", "14 ACT b4 r5 #3",
                         "19 RD b8 r5 c0 #4", "26 RD b4 r5 c0 #3", "29 PRE b0 #2", "41 ACT b0 r7 #2",
                         "53 RD b0 r7 c0 #2", "69 PRE b0 #1", "81 ACT b0 r6 #1", "93 RD b0 r6 c0 #1"});
  CHECK(core.idle());
  CHECK(core.stats().row_conflicts == 2);
}

TEST_CASE("a row policy sees how often a row was used") {
  struct CloseAfterTwo final : RowPolicy {
    Cycle close_at(const OpenRow& open) const override { return open.columns < 2 ? never : open.last_use; }
  };
  RowPolicyRow::table().add({"after_two", "after two column commands",
                             [](const MemoryControllerParams&) -> std::unique_ptr<RowPolicy> {
                               return std::make_unique<CloseAfterTwo>();
                             }});
  MemoryControllerParams params;
  params.page_policy = static_cast<PagePolicy>(RowPolicyRow::table().find("after_two"));
  MemoryControllerCore core{params};
  core.admit(request(false, 0, 5, 0, 0), 0);
  CHECK(run(core) == Log{"1 ACT b0 r5 #0", "13 RD b0 r5 c0 #0"});
  core.admit(request(false, 0, 5, 1, 1), 60);
  CHECK(run(core) == Log{"61 RD b0 r5 c1 #1", "63 PRE b0"});  // tRTP 2 after the RD
  CHECK(core.stats().policy_precharges == 1);
}
