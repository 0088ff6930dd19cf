// Functional L1s: what hits, what another L1 could have served, what of a line is used.
#include "traces/l1_study.h"

#include <memory>

#include "tb/support/catch.h"

using namespace strata;
using namespace strata::traces;

namespace {

constexpr Address line_a = 0x1000, line_b = 0x1080, line_c = 0x1100;

struct Step {
  OpClass op;
  Address address;
  int lanes;  ///< of 4 B each
};

/// CTAs of one warp.
class Steps final : public InstructionSource {
 public:
  explicit Steps(std::vector<std::vector<Step>> ctas, int launches = 1) : ctas_(std::move(ctas)) {
    for (int l = 0; l < launches; ++l) {
      KernelInfo kernel;
      kernel.id = static_cast<std::uint32_t>(l);
      kernel.grid.x = static_cast<std::uint32_t>(ctas_.size());
      kernel.block.x = 32;
      kernels_.push_back(kernel);
    }
  }
  const std::vector<KernelInfo>& kernels() const override { return kernels_; }
  const std::vector<MemcpyInfo>& copies() const override { return copies_; }
  std::string description() const override { return "steps"; }
  std::shared_ptr<const CtaTrace> fetch(std::uint32_t, std::uint64_t cta) override {
    auto trace = std::make_shared<CtaTrace>();
    trace->index = cta;
    for (const Step& step : ctas_[cta]) {
      WarpInstruction i;
      i.op = step.op;
      i.active_mask = step.lanes == 32 ? ~0U : (1U << step.lanes) - 1;
      if (touches_global_memory(step.op)) {
        i.address = step.address;
        i.stride = 4;
        i.width = 4;
        i.address_kind = AddressKind::stride;
      }
      trace->instructions.push_back(i);
    }
    trace->warp_begin = {0, static_cast<std::uint32_t>(trace->instructions.size())};
    return trace;
  }

 private:
  std::vector<std::vector<Step>> ctas_;
  std::vector<KernelInfo> kernels_;
  std::vector<MemcpyInfo> copies_;
};

/// Two SMs with room for one CTA, and L1s of one set of two lines.
L1Machine two_sms() {
  L1Machine machine;
  machine.sms = 2;
  machine.threads = 32;
  machine.l1_bytes = 256;
  machine.ways = 2;
  machine.flushed = false;
  return machine;
}

constexpr auto load = OpClass::load, store = OpClass::store;

}  // namespace

TEST_CASE("two L1s of two lines, access by access") {
  // turn  SM 0                            SM 1
  //  1    A: miss                         A: miss, SM 0 has it
  //  2    B, all of it: miss              A: hit
  //  3    A: hit                          store to A: drops it here
  //  4    C: miss, B goes                 A: miss, SM 0 has it
  //  5    B: miss, A goes
  Steps steps(
      {{{load, line_a, 8}, {load, line_b, 32}, {load, line_a, 8}, {load, line_c, 8}, {load, line_b, 8}},
       {{load, line_a, 8}, {load, line_a, 8}, {OpClass::alu, 0, 32}, {store, line_a, 8}, {load, line_a, 8}}});
  const L1Figures f = study_l1(steps, two_sms(), ~std::uint64_t{0});
  CHECK(f.loads == 8);
  CHECK(f.accesses == 8);
  CHECK(f.sectors == 8 + 3);
  CHECK(f.misses == 6);
  CHECK(f.replicated == 2);
  // Room for all: only the first touches of either SM, and what the store dropped.
  CHECK(f.large_misses == 3 + 2);
  // A single L1 of four lines: A, B, C, and A once more after the store.
  CHECK(f.common_misses == 4);
  // Every line that came goes, six in all, with a sector each; the first B had four.
  CHECK(f.lines_left == 6);
  CHECK(f.sectors_used == 6 + 3);
  CHECK(f.bytes_used() == Approx(48));
  // Looked at once, after the first turn: A is in both.
  CHECK(f.copies == Approx(2));
  CHECK(f.memory == 9);
  CHECK(f.others == 1);
}

TEST_CASE("lines stay between launches only where the machine keeps them") {
  L1Machine machine = two_sms();
  Steps kept({{{load, line_a, 8}}}, 3);
  CHECK(study_l1(kept, machine, ~std::uint64_t{0}).misses == 1);
  machine.flushed = true;
  Steps flushed({{{load, line_a, 8}}}, 3);
  CHECK(study_l1(flushed, machine, ~std::uint64_t{0}).misses == 3);
}

TEST_CASE("CTAs go to SMs in turn, then where room appears, until the window is full") {
  // CTA 2 follows CTA 1 on SM 1, which ends first, and finds its line there.
  const std::vector<std::vector<Step>> ctas = {
      {{load, line_a, 8}, {load, line_a, 8}, {load, line_a, 8}}, {{load, line_b, 8}}, {{load, line_b, 8}}};
  Steps all(ctas);
  CHECK(study_l1(all, two_sms(), ~std::uint64_t{0}).misses == 2);
  Steps some(ctas);
  const L1Figures f = study_l1(some, two_sms(), 25);  // the first CTA has 24 thread instructions, two have 32
  CHECK(f.instructions == 32);
  CHECK(f.loads == 4);
}

TEST_CASE("each paper's machine has a name") {
  for (const char* name : {"adaptive-LLC", "DC-L1", "TSC", "GDC"}) CHECK(find_l1_machine(name) != nullptr);
  CHECK(find_l1_machine("adaptive") == nullptr);
}
