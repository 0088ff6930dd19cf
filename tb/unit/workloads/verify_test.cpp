// What the outputs of a workload are compared with: the memory as the kernels and the host left it.
#include <cstdint>
#include <vector>

#include "tb/support/catch.h"
#include "tb/support/temp_folder.h"
#include "traces/workloads/workload.h"

using namespace strata;
using namespace strata::traces;

namespace {

// Thread i writes 3 i + 1 into the variable `result`.
const char* const kernel = R"(.version 8.0
.target sm_80
.address_size 64
.visible .global .align 4 .b8 other[64];
.visible .global .align 4 .b8 result[256];
.visible .entry triple()
{
.reg .b32 %r<4>;
.reg .b64 %d<4>;
mov.u32 %r1, %tid.x;
mul.lo.u32 %r2, %r1, 3;
add.u32 %r2, %r2, 1;
mov.u64 %d1, result;
cvta.global.u64 %d1, %d1;
mul.wide.u32 %d2, %r1, 4;
add.s64 %d3, %d1, %d2;
st.global.u32 [%d3], %r2;
ret;
}
)";

/// How the only output of a workload that ends with `rest` compares with `wanted`.
OutputReport report_of(const std::string& rest, const std::vector<std::uint32_t>& wanted) {
  const tb::TempFolder folder;
  folder.write("k.ptx", kernel);
  folder.write("wanted.bin", {reinterpret_cast<const char*>(wanted.data()), wanted.size() * 4});
  const std::string head =
      "module: k.ptx\n"
      "buffers:\n"
      "  other: {type: u32, count: 64, fill: value(9)}\n"  // as a variable is called that is none of its own
      "  g: {type: u32, count: 64, symbol: result}\n"
      "  o: {type: u32, count: 64, fill: zero}\n";
  const auto workload = Workload::load(folder.write("w.yaml", head + rest));
  const auto source = Workload::open(workload);
  source->run_to_end();
  return workload->verify(source->memory()).outputs.at(0);
}

std::vector<std::uint32_t> triples() {
  std::vector<std::uint32_t> values;
  for (std::uint32_t i = 0; i < 64; ++i) values.push_back(3 * i + 1);
  return values;
}

const std::string launch = "{kernel: triple, grid: 1, block: 64, arguments: []}";

}  // namespace

TEST_CASE("an output that is a variable of the module holds what the kernel wrote") {
  const std::string rest = "launches: [" + launch + "]\noutputs: {g: {file: wanted.bin}}\n";
  CHECK(report_of(rest, triples()).wrong == 0);
  const OutputReport zeros = report_of(rest, std::vector<std::uint32_t>(64));
  CHECK(zeros.wrong == 64);
  CHECK(zeros.got == 1);
}

TEST_CASE("what the host copies after the last launch is compared") {
  const std::string rest =
      "launches: [" + launch + ", {copy: o, from: g}]\noutputs: {o: {file: wanted.bin}}\n";
  CHECK(report_of(rest, triples()).wrong == 0);
  CHECK(report_of(rest, std::vector<std::uint32_t>(64)).wrong == 64);
  const std::string filled =
      "launches: [" + launch + ", {fill: o, value: 5}]\noutputs: {o: {file: wanted.bin}}\n";
  CHECK(report_of(filled, std::vector<std::uint32_t>(64, 5)).wrong == 0);
}

TEST_CASE("an output is its buffer, not a variable of the same name") {
  const std::string rest = "launches: [" + launch + "]\noutputs: {other: {file: wanted.bin}}\n";
  CHECK(report_of(rest, std::vector<std::uint32_t>(64, 9)).wrong == 0);
}

TEST_CASE("a workload whose buffer is a variable cannot be dumped") {
  const tb::TempFolder folder;
  folder.write("k.ptx", kernel);
  const auto workload = Workload::load(folder.write(
      "w.yaml",
      "module: k.ptx\nbuffers: {g: {type: u32, count: 64, symbol: result}}\nlaunches: [" + launch + "]\n"));
  CHECK_THROWS_WITH(workload->dump(folder.path() + "/out"), tb::has_text("'g' is a variable of the module"));
}
