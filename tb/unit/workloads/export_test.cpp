// Workloads, exported as traces of Accel-Sim: the format is right, and what is read back counts the same.
#include "traces/accelsim/out/export.h"

#include "tb/support/accelsim_trace_checker.h"
#include "tb/support/catch.h"
#include "tb/support/temp_folder.h"
#include "traces/open.h"
#include "traces/workloads/workload.h"

using namespace strata;

namespace {

std::string counts(InstructionSource& source) {
  traces::TraceInfo info = traces::analyse(source);
  info.source.clear();
  return traces::to_json(info);
}

}  // namespace

TEST_CASE("exported workloads are what Accel-Sim reads, and count as before when they are read back") {
  for (const char* name : {"2dconv", "bfs", "bp", "gemm", "hg", "lud", "md", "scan", "spmv", "srad_v2"}) {
    INFO(name);
    const auto workload = traces::Workload::load(std::string(name) + "@tiny");
    const tb::TempFolder folder;
    const auto source = traces::Workload::open(workload, {});
    const traces::ExportReport report = traces::export_accelsim(*source, folder.path(), false);
    const tb::AccelsimTraceReport checked = tb::check_accelsim_trace(folder.path() + "/kernelslist.g");
    CHECK(checked.fault == "");
    CHECK(checked.kernels == report.kernels);
    CHECK(checked.blocks == report.ctas);
    CHECK(checked.instructions == report.instructions);
    CHECK(checked.copies == source->copies().size());
    CHECK(report.losses.without_register == 0);
    const auto again = traces::open_trace(folder.path());
    const auto fresh = traces::Workload::open(workload, {});
    CHECK(counts(*again) == counts(*fresh));
  }
}
