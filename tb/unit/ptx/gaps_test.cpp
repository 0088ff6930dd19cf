// What PTX programs say and the models do not do: counted by reason as it is executed.
#include <map>

#include "tb/support/catch.h"
#include "tb/support/ptx_bench.h"

using namespace strata;
using namespace strata::traces;
using ptx_bench::kernel;
using ptx_bench::launch;

namespace {

/// `fences` -> 4: the word in front of each reason, of two thread blocks of two warps.
std::map<std::string, std::uint64_t> gaps(const std::string& code, const std::string& head = "") {
  const std::string text = kernel(code, "", head);
  PtxSource source([&] {
    PtxWorkload w;
    const Address out = w.memory.upload(std::vector<std::uint32_t>(1024), "out");
    w.launches.push_back(launch(text, 64, out, 2));
    return w;
  });
  CHECK(source.gaps().empty());
  for (std::uint64_t cta = 0; cta < 2; ++cta) source.fetch(0, cta);
  std::map<std::string, std::uint64_t> counts;
  for (const SourceGap& gap : source.gaps()) {
    CHECK(gap.kernel == 0);
    counts[gap.reason.substr(0, gap.reason.find(':'))] = gap.count;
  }
  return counts;
}
using Counts = std::map<std::string, std::uint64_t>;

}  // namespace

TEST_CASE("ptx: a program without gaps has none") {
  CHECK(gaps("mov.u32 %r0, 1;\nst.global.u32 [%d9], %r0;\nbar.sync 0;\nret;").empty());
}

// Four warps, three fences each: two before a loop is over that runs twice, one behind it.
TEST_CASE("ptx: fences are counted as often as warps execute them") {
  CHECK(gaps("mov.u32 %r1, 0;\nagain:\nmembar.gl;\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 2;\n"
             "@%p1 bra again;\nfence.acq_rel.gpu;\nret;") == Counts{{"fences", 12}});
}

TEST_CASE("ptx: pauses, prefetches, hints and loads of constants each have their reason") {
  CHECK(gaps("nanosleep.u32 20;\nret;") == Counts{{"pauses of a warp", 4}});
  CHECK(
      gaps(
          "prefetch.global.L2 [%d9];\nld.global.L2::128B.u32 %r1, [%d9];\nst.global.u32 [%d9], %r1;\nret;") ==
      Counts{{"prefetches into caches", 8}});
  CHECK(gaps("ld.global.L1::evict_last.u32 %r1, [%d9];\nst.global.u32 [%d9], %r1;\n"
             "discard.global.L2 [%d9], 128;\nret;") == Counts{{"hints for replacement", 8}});
  CHECK(gaps("ld.const.u32 %r1, [c];\nst.global.u32 [%d9], %r1;\nret;", ".const .align 4 .u32 c = 7;\n") ==
        Counts{{"loads of constants", 4}});
  CHECK(gaps("griddepcontrol.launch_dependents;\nret;") ==
        Counts{{"launches of a dependent kernel before the end of this one", 4}});
}
