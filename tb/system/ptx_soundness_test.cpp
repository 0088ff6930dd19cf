// The read-only analysis against what every workload does at its smallest scale: launches check each store
// and each load against the proof (a contradiction is a fault), and the lines that the oracle has seen
// written confirm it.
#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "traces/workloads/workload.h"

using namespace strata;
using namespace strata::traces;

namespace {

struct Counts {
  std::uint64_t loads = 0, proved = 0, unwritten = 0, unsound = 0;
};

std::unique_ptr<PtxSource> open(const std::shared_ptr<const Workload>& workload,
                                PtxOptions::ReadOnly policy) {
  PtxOptions options;
  options.read_only = policy;
  return Workload::open(workload, options);
}

/// The same instructions under both policies: a proved load is one that the oracle finds unwritten.
Counts compare(PtxSource& analysis, PtxSource& oracle) {
  Counts counts;
  for (const KernelInfo& kernel : analysis.kernels())
    for (std::uint64_t cta = 0; cta < kernel.ctas(); ++cta) {
      const auto a = analysis.fetch(kernel.id, cta), b = oracle.fetch(kernel.id, cta);
      REQUIRE(a->instructions.size() == b->instructions.size());
      for (std::size_t i = 0; i < a->instructions.size(); ++i) {
        const WarpInstruction &one = a->instructions[i], &other = b->instructions[i];
        const bool load = one.op == OpClass::load || one.op == OpClass::read_only_load;
        const bool proved = one.op == OpClass::read_only_load,
                   unwritten = other.op == OpClass::read_only_load;
        counts.loads += load;
        counts.proved += proved;
        counts.unwritten += unwritten;
        counts.unsound += proved && !unwritten;
      }
    }
  return counts;
}

}  // namespace

TEST_CASE("no launch of any workload writes what the read-only analysis proves unwritten") {
  const std::vector<std::string> names = workload_names();
  CHECK(names.size() >= 57);
  Counts all;
  int with_proofs = 0;
  for (const std::string& name : names) {
    INFO(name);
    const auto workload = Workload::load(name + "@tiny");
    const auto analysis = open(workload, PtxOptions::ReadOnly::analysis);
    const auto oracle = open(workload, PtxOptions::ReadOnly::oracle);
    try {
      const Counts counts = compare(*analysis, *oracle);
      CHECK(counts.unsound == 0);
      CHECK(workload->verify(analysis->memory()).good());
      CHECK(workload->verify(oracle->memory()).good());
      with_proofs += counts.proved != 0;
      all.loads += counts.loads;
      all.proved += counts.proved;
      all.unwritten += counts.unwritten;
    } catch (const TraceError& error) {
      FAIL_CHECK(name << ": " << error.what());
    }
  }
  WARN("loads " << all.loads << ", proved " << all.proved << ", of unwritten lines " << all.unwritten
                << ", workloads " << with_proofs);
  CHECK(with_proofs >= 45);
  CHECK(all.proved * 2 > all.loads);
}
