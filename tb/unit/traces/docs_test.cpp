// docs/guide/trace-formats.md says what the code does: its table of parameters, and TableWalk is its example
// of a source.
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "models/common/instruction_source.h"
#include "tb/support/catch.h"
#include "traces/synthetic/synthetic_params.h"
#include "traces/tools.h"

/// One kernel; each warp of CTA c loads line c of a table and ends.
class TableWalk final : public strata::InstructionSource {
 public:
  explicit TableWalk(std::uint32_t ctas) {
    strata::KernelInfo kernel;
    kernel.name = "table walk";
    kernel.grid.x = ctas;
    kernel.block.x = 64;  // two warps
    kernels_.push_back(kernel);
  }
  const std::vector<strata::KernelInfo>& kernels() const override { return kernels_; }
  const std::vector<strata::MemcpyInfo>& copies() const override { return copies_; }
  std::string description() const override { return "table walk"; }

  std::shared_ptr<const strata::CtaTrace> fetch(std::uint32_t, std::uint64_t cta) override {
    auto trace = std::make_shared<strata::CtaTrace>();
    trace->index = cta;
    trace->warp_begin = {0};
    for (int warp = 0; warp < 2; ++warp) {
      strata::WarpInstruction load;
      load.op = strata::OpClass::load;
      load.address_kind = strata::AddressKind::stride;
      load.address = 0x7f0000000000 + cta * 128;
      load.stride = 4;
      load.width = 4;
      load.active_mask = 0xffffffff;
      load.destination = 2;
      trace->instructions.push_back(load);
      strata::WarpInstruction exit;
      exit.pc = 16;
      exit.op = strata::OpClass::exit;
      exit.active_mask = 0xffffffff;
      trace->instructions.push_back(exit);
      trace->warp_begin.push_back(static_cast<std::uint32_t>(trace->instructions.size()));
    }
    return trace;
  }

 private:
  std::vector<strata::KernelInfo> kernels_;
  std::vector<strata::MemcpyInfo> copies_;
};

using namespace strata;
using namespace strata::traces;

namespace {

std::string read_all(const char* path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The rows of the table, one a parameter.
class Rows final : public ParamVisitor {
 public:
  std::vector<std::string> rows;
  void integer(const ParamInfo& info, int& field, Range range) override {
    const bool bounded = range.max < INT32_MAX;
    add(info, std::to_string(field),
        bounded ? std::to_string(range.min) + " to " + std::to_string(range.max)
                : "from " + std::to_string(range.min));
  }
  void bytes(const ParamInfo& info, Bytes& field, Range range) override {
    add(info, to_text(field),
        to_text(Bytes{static_cast<std::uint64_t>(range.min)}) + " to " +
            to_text(Bytes{static_cast<std::uint64_t>(range.max)}));
  }
  void real(const ParamInfo& info, double& field, double min, double max) override {
    std::ostringstream value, allowed;
    value << field;
    allowed << min << " to " << max;
    add(info, value.str(), allowed.str());
  }
  void flag(const ParamInfo& info, bool& field) override {
    add(info, field ? "true" : "false", "true, false");
  }
  void text(const ParamInfo& info, std::string& field) override { add(info, field, "text"); }
  void choice_index(const ParamInfo& info, int& index, const std::vector<std::string>& names) override {
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
    add(info, names[static_cast<std::size_t>(index)], all);
  }

 private:
  void add(const ParamInfo& info, const std::string& value, const std::string& allowed) {
    rows.push_back("| `" + std::string(info.name) + "` | " + value + " | " + allowed + " | " +
                   std::string(info.unit) + " | " + std::string(info.sentence) + " |");
  }
};

}  // namespace

TEST_CASE("The documented parameters of synthetic streams are those of the code") {
  const std::string page = read_all("docs/guide/trace-formats.md");
  SyntheticParams params;
  Rows table;
  params.for_each_param(table);
  CHECK(table.rows.size() == 20);
  for (const std::string& row : table.rows) {
    INFO("docs/guide/trace-formats.md needs the line\n" << row);
    CHECK(page.find(row + "\n") != std::string::npos);
  }
}

TEST_CASE("The example of a source that the page of trace formats names works") {
  TableWalk walk(10);
  const TraceInfo info = analyse(walk, 1);
  CHECK(info.ctas == 10);
  CHECK(info.warp_instructions == 40);  // 10 CTAs of 2 warps of 2 instructions
  CHECK(info.global_load_lines == 20);
  CHECK(info.unique_lines == 10);
}

namespace {

/// Launches of two CTAs of a warp; each access is one lane of line 0, 1 or 2.
class FewAccesses final : public InstructionSource {
 public:
  struct Access {
    std::uint32_t kernel;
    std::uint64_t cta;
    OpClass op;
    Address line;
  };
  FewAccesses(std::uint32_t launches, std::vector<Access> accesses) : accesses_(std::move(accesses)) {
    for (kernels_.resize(launches); launches-- > 0; kernels_[launches].grid.x = 2)
      kernels_[launches].id = launches;
  }
  const std::vector<KernelInfo>& kernels() const override { return kernels_; }
  const std::vector<MemcpyInfo>& copies() const override { return copies_; }
  std::string description() const override { return "few accesses"; }
  std::shared_ptr<const CtaTrace> fetch(std::uint32_t kernel, std::uint64_t cta) override {
    auto trace = std::make_shared<CtaTrace>();
    trace->index = cta;
    for (const Access& access : accesses_) {
      if (access.kernel != kernel || access.cta != cta) continue;
      WarpInstruction i;
      i.op = access.op;
      i.address_kind = AddressKind::stride;
      i.address = 0x10000 + access.line * 128;
      i.width = 4;
      i.active_mask = 1;
      trace->instructions.push_back(i);
    }
    trace->warp_begin = {0, static_cast<std::uint32_t>(trace->instructions.size())};
    return trace;
  }

 private:
  std::vector<Access> accesses_;
  std::vector<KernelInfo> kernels_;
  std::vector<MemcpyInfo> copies_;
};

}  // namespace

TEST_CASE("Lines are shared between clusters, over the run and within a launch") {
  // Line 0: loaded by both CTAs in both launches. Line 1: stored by CTA 0 and loaded by CTA 1 of the next
  // launch. Line 2: stored by one and loaded by the other CTA of a launch.
  FewAccesses source(2, {{0, 0, OpClass::load, 0},
                         {0, 0, OpClass::store, 1},
                         {0, 1, OpClass::load, 0},
                         {1, 0, OpClass::load, 0},
                         {1, 0, OpClass::store, 2},
                         {1, 1, OpClass::load, 0},
                         {1, 1, OpClass::load, 1},
                         {1, 1, OpClass::load, 2}});
  const TraceInfo info = analyse(source, 8, {}, 3);
  CHECK(info.unique_lines == 3);
  CHECK(info.shared_lines() == 3);
  CHECK(info.launch_shared_lines == 3);            // line 0 twice, line 2 once
  CHECK(info.launch_shared_read_only_lines == 2);  // line 0 twice
  CHECK(info.window_shared_lines == 1);            // the first three instructions are the first launch
  CHECK(analyse(source, 8, {}, 4).window_shared_lines == 1);
  CHECK(analyse(source, 8, {}, 6).window_shared_lines == 3);  // its CTA is read to its end
  CHECK(analyse(source, 8).window_shared_lines == 3);
  CHECK(analyse(source, 1).shared_lines() == 0);
}
