// Every workload that Strata comes with runs at its smallest scale and gives what its reference gives;
// recording and replaying a workload hands out what streaming it does.
#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "tb/support/temp_folder.h"
#include "traces/open.h"
#include "traces/tools.h"
#include "traces/workloads/workload.h"

using namespace strata;
using namespace strata::traces;

TEST_CASE("every workload computes at tiny what its reference does") {
  const std::vector<std::string> names = workload_names();
  CHECK(names.size() >= 57);
  for (const std::string& name : names) {
    const auto workload = Workload::load(name + "@tiny");
    CHECK(workload->verifiable());
    const auto source = Workload::open(workload);
    try {
      source->run_to_end();
      const VerifyReport report = workload->verify(source->memory());
      INFO(name << "\n" << report.text());
      CHECK(report.good());
    } catch (const TraceError& error) {
      FAIL_CHECK(name << ": " << error.what());
    }
  }
}

TEST_CASE("every workload's larger scales are sound, and their launches fit the kernels") {
  for (const std::string& name : workload_names())
    for (const char* scale : {"quick", "paper"}) {
      INFO(name);
      CHECK_NOTHROW(Workload::load(name + "@" + scale));
    }
}

TEST_CASE("a result that is wrong is found") {
  const auto workload = Workload::load("va@tiny");
  const auto source = Workload::open(workload);
  source->run_to_end();
  const auto right = workload->verify(source->memory());
  CHECK(right.good());
  PtxWorkload untouched = workload->make();  // nothing was launched: c is all unset
  const VerifyReport report = workload->verify(untouched.memory);
  CHECK_FALSE(report.good());
  REQUIRE(report.outputs.size() == 1);
  CHECK(report.outputs[0].wrong > 4900);  // of 5000; a sum of two random numbers is seldom 0
}

namespace {

/// Everything that two sources hand out, compared instruction by instruction.
std::uint64_t differences(InstructionSource& a, InstructionSource& b) {
  REQUIRE(a.kernels().size() == b.kernels().size());
  std::uint64_t different = 0;
  for (const KernelInfo& kernel : a.kernels()) {
    CHECK(b.kernels()[kernel.id].name == kernel.name);
    CHECK(b.kernels()[kernel.id].registers == kernel.registers);
    CHECK(b.kernels()[kernel.id].shared_bytes == kernel.shared_bytes);
    for (std::uint64_t cta = 0; cta < kernel.ctas(); ++cta) {
      const auto x = a.fetch(kernel.id, cta), y = b.fetch(kernel.id, cta);
      REQUIRE(x->instructions.size() == y->instructions.size());
      different += x->warp_begin != y->warp_begin;
      for (std::size_t i = 0; i < x->instructions.size(); ++i) {
        const WarpInstruction &p = x->instructions[i], &q = y->instructions[i];
        const bool list = p.address_kind == AddressKind::list;
        different += p.op != q.op || p.pc != q.pc || p.active_mask != q.active_mask || p.width != q.width ||
                     p.address_kind != q.address_kind || p.first_use != q.first_use || p.weight != q.weight ||
                     p.non_coherent != q.non_coherent ||
                     (!list && (p.address != q.address || p.stride != q.stride));
        if (list)
          for (int lane = 0; lane < p.active_lanes(); ++lane)
            different += x->addresses[p.address + lane] != y->addresses[q.address + lane];
      }
    }
  }
  return different;
}

}  // namespace

TEST_CASE("a record of a workload replays what streaming hands out") {
  const tb::TempFolder folder;
  for (const char* name : {"lud@tiny", "bfs@tiny", "sp@tiny", "mri_gridding@tiny", "sort@tiny"}) {
    const auto workload = Workload::load(name);
    const std::string path = folder.path() + "/record";
    convert(*Workload::open(workload), path);
    const auto streamed = Workload::open(workload);
    INFO(name);
    CHECK(differences(*streamed, *open_trace(path)) == 0);
  }
}
