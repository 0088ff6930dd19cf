// Instructions of an L1 access: one stream of loads through an organization's core, without shell and
// network.
//   bench_l1 plain|lamar|tsc|dsc_4 [ACCESSES [LINES]]
// Half of the loads ask for whole lines, half for one sector; three of four are of 1/16 of LINES. Fills come
// at once.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "models/l1/l1_decoupled_sectored.h"
#include "models/l1/l1_sectored.h"
#include "models/l1/l1_tag_split.h"

namespace {

using namespace strata;

std::vector<Access> stream(std::size_t accesses, std::uint64_t lines) {
  std::mt19937_64 random(1);
  std::vector<Access> list(accesses);
  for (Access& access : list) {
    access.line = random() % (random() % 4 == 0 ? lines : lines / 16) * 128;
    access.sectors = static_cast<std::uint8_t>(random() % 2 == 0 ? 0xf : 1U << random() % 4);
  }
  return list;
}

/// What callgrind counts.
[[gnu::noinline]] std::size_t run_stream(CacheDesign& l1, std::vector<Access>& list) {
  std::size_t hits = 0;
  for (Access& access : list) {
    const L1Decision decision = l1.lookup(access, 0, true);
    if (decision.outcome == L1Outcome::miss_new) l1.fill(decision.fetch);
    if (decision.outcome == L1Outcome::hit) ++hits;
  }
  return hits;
}

std::unique_ptr<CacheDesign> organization(const std::string& name) {
  if (name == "tsc") {
    L1TagSplitParams params;
    params.victims = L1TagSplitParams::Victims::lines;
    return std::make_unique<L1TagSplit>(params);
  }
  if (name == "dsc_4") {
    L1DecoupledSectoredParams params;
    params.tags = 4;
    return std::make_unique<L1DecoupledSectored>(params);
  }
  if (name != "plain" && name != "lamar") return nullptr;
  L1SectoredParams params;
  params.size = Bytes(16 * KiB);
  params.ways = 4;
  params.mshrs = 32;
  params.sector = Bytes(name == "plain" ? 128 : 32);
  params.allocation = Allocation::on_miss;
  return std::make_unique<L1Sectored>(params);
}

}  // namespace

int main(int argc, char** argv) {
  const auto l1 = organization(argc > 1 ? argv[1] : "");
  if (l1 == nullptr) return std::fprintf(stderr, "which: plain, lamar, tsc or dsc_4\n"), 1;
  const auto number = [&](int at, std::uint64_t usual) {
    return argc > at ? std::strtoull(argv[at], nullptr, 10) : usual;
  };
  std::vector<Access> list = stream(number(2, 1'000'000), number(3, 512));
  const std::size_t hits = run_stream(*l1, list);
  std::printf("%zu accesses, %.1f %% hits\n", list.size(),
              100 * static_cast<double>(hits) / static_cast<double>(list.size()));
}
