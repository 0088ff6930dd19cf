#include "traces/read_ahead.h"

#include <atomic>
#include <random>
#include <string>

#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "tb/support/temp_folder.h"
#include "traces/open.h"

using namespace strata;
using namespace strata::traces;

namespace {

/// CTAs that say which they are. As readers of files do, it keeps what it passes over, and begins anew for a
/// CTA that it has given before.
class Counted final : public InstructionSource {
 public:
  explicit Counted(std::vector<std::uint32_t> ctas, std::uint64_t faulty = ~std::uint64_t{0})
      : faulty_(faulty) {
    for (const std::uint32_t count : ctas) {
      KernelInfo kernel;
      kernel.id = static_cast<std::uint32_t>(kernels_.size());
      kernel.grid.x = count;
      kernels_.push_back(kernel);
    }
  }
  const std::vector<KernelInfo>& kernels() const override { return kernels_; }
  const std::vector<MemcpyInfo>& copies() const override { return copies_; }
  std::string description() const override { return "counted"; }
  std::shared_ptr<const CtaTrace> fetch(std::uint32_t kernel, std::uint64_t cta) override {
    ++fetches;
    if (cta >= faulty_) throw TraceError({{"counted", 0, 0}, "fault of " + std::to_string(faulty_)});
    auto trace = std::make_shared<CtaTrace>();
    trace->index = cta;
    trace->instructions.resize(1);
    trace->instructions[0].pc = kernel;
    return trace;
  }
  std::atomic<int> fetches{0};

 private:
  std::vector<KernelInfo> kernels_;
  std::vector<MemcpyInfo> copies_;
  std::uint64_t faulty_;
};

void check_fetch(InstructionSource& source, std::uint32_t kernel, std::uint64_t cta) {
  const auto trace = source.fetch(kernel, cta);
  INFO("kernel " << kernel << " CTA " << cta);
  CHECK(trace->index == cta);
  CHECK(trace->instructions.at(0).pc == kernel);
}

}  // namespace

TEST_CASE("CTAs in order are fetched once each, kernel after kernel") {
  Counted source({100, 1, 30});
  {
    const auto ahead = read_ahead(source, {8, 1 << 20});
    for (const KernelInfo& kernel : source.kernels())
      for (std::uint64_t cta = 0; cta < kernel.ctas(); ++cta) {
        check_fetch(*ahead, kernel.id, cta);
        CHECK(source.fetches <= 100 + 1 + 30);
      }
  }
  CHECK(source.fetches == 131);
}

TEST_CASE("No more is read ahead than allowed") {
  Counted source({1000});
  {
    const auto ahead = read_ahead(source, {5, 1 << 20});
    for (std::uint64_t cta = 0; cta < 100; ++cta) {
      check_fetch(*ahead, 0, cta);
      CHECK(source.fetches <= static_cast<int>(cta) + 1 + 6);
    }
  }
  CHECK(source.fetches <= 106);
  Counted wide({1000});
  read_ahead(wide, {100, 1})->fetch(0, 0);  // one that takes more than all may, and the one after it
  CHECK(wide.fetches <= 2);
}

TEST_CASE("Ranges side by side, in any order, are fetched once each") {
  std::mt19937_64 random(11);
  for (int round = 0; round < 20; ++round) {
    Counted source({64, 64});
    const auto ahead = read_ahead(source, {1 + static_cast<std::size_t>(round), 1 << 20});
    for (const std::uint32_t kernel : {0U, 1U}) {
      std::uint64_t next[4] = {0, 16, 32, 48};
      for (int left = 64; left > 0;) {
        const std::size_t range = random() % 4;
        if (next[range] == 16 * (range + 1)) continue;
        check_fetch(*ahead, kernel, next[range]++);
        --left;
      }
    }
    CHECK(source.fetches == 128);
  }
}

TEST_CASE("Kernels side by side, in any order, are fetched once each") {
  std::mt19937_64 random(12);
  for (int round = 0; round < 20; ++round) {
    Counted source({20, 7, 30, 12});
    const auto ahead = read_ahead(source, {1 + static_cast<std::size_t>(round), 1 << 20});
    std::uint64_t next[4] = {};
    for (int left = 20 + 7 + 30 + 12; left > 0;) {
      const auto kernel = static_cast<std::uint32_t>(random() % 4);
      if (next[kernel] == source.kernels()[kernel].ctas()) continue;
      check_fetch(*ahead, kernel, next[kernel]++);
      --left;
    }
    CHECK(source.fetches == 20 + 7 + 30 + 12);
  }
}

TEST_CASE("A program that begins again is read again") {
  Counted source({10, 10});
  const auto ahead = read_ahead(source, {4, 1 << 20});
  for (int pass = 0; pass < 3; ++pass)
    for (const std::uint32_t kernel : {0U, 1U})
      for (std::uint64_t cta = 0; cta < 10; ++cta) check_fetch(*ahead, kernel, cta);
  for (std::uint64_t cta = 0; cta < 5; ++cta) check_fetch(*ahead, 0, cta);
  check_fetch(*ahead, 0, 2);  // in the midst, too
  check_fetch(*ahead, 0, 9);
  check_fetch(*ahead, 1, 3);
  check_fetch(*ahead, 0, 0);
}

TEST_CASE("A fault comes with the CTA that has it") {
  for (int round = 0; round < 50; ++round) {
    Counted source({40}, 20);
    const auto ahead = read_ahead(source);
    for (std::uint64_t cta = 0; cta < 20; ++cta) check_fetch(*ahead, 0, cta);
    CHECK_THROWS_WITH(ahead->fetch(0, 20), "counted: fault of 20");
    CHECK_THROWS_WITH(ahead->fetch(0, 30), "counted: fault of 20");
  }
}

TEST_CASE("A cut file says the same with and without a worker, for each order of asking") {
  const tb::TempFolder folder;
  std::string text =
      "-kernel name = k\n-grid dim = (40,1,1)\n-block dim = (32,1,1)\n-binary version = 70\n"
      "-accelsim tracer version = 5\n#traces format = x\n";
  for (int cta = 0; cta < 40; ++cta)
    text += "#BEGIN_TB\nthread block = " + std::to_string(cta) + ",0,0\nwarp = 0\ninsts = 1\n" +
            (cta == 25 ? "0000 ffffffff 0 NOTHING 0 0 0\n" : "0000 ffffffff 0 EXIT 0 0 0\n") + "#END_TB\n";
  const std::string path = folder.write("k.traceg", text);
  const auto outcome = [](InstructionSource& source, std::uint64_t cta) {
    try {
      return std::to_string(source.fetch(0, cta)->index);
    } catch (const TraceError& error) {
      return std::string(error.what());
    }
  };
  for (const std::uint64_t apart : {std::uint64_t{1}, std::uint64_t{10}, std::uint64_t{20}}) {
    const auto plain = open_trace(path), worked_on = open_trace(path);
    const auto ahead = read_ahead(*worked_on);
    for (std::uint64_t n = 0; n < 40; ++n) {
      const std::uint64_t cta = n % (40 / apart) * apart + n / (40 / apart);
      const std::string expected = outcome(*plain, cta);
      INFO("CTA " << cta << ", " << apart << " apart");
      CHECK(outcome(*ahead, cta) == expected);
      if (expected.find("NOTHING") != std::string::npos) break;  // a run ends here
    }
  }
}

TEST_CASE("The end waits only for the CTA in progress") {
  for (int round = 0; round < 200; ++round) {
    Counted source({1000});
    const auto ahead = read_ahead(source);
    if (round % 2 == 0) ahead->fetch(0, 0);
  }
  Counted none({});
  CHECK(read_ahead(none)->kernels().empty());
}
