// What the outputs of a workload are compared with: the memory as the kernels and the host left it.
#include <algorithm>
#include <cstdint>
#include <set>
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

// Jagged diagonals of spmv_jagged: which numbers the matrix has, and where they lie.

namespace {

struct Jagged {
  explicit Jagged(const std::string& spec) : definition(Workload::read(spec)), data(definition) {
    find_reference("jagged_matrix_vector")->prepare(data);
  }
  std::int64_t numbers() {
    const auto value = data.f32("value");
    return std::count_if(value.begin(), value.end(), [](float number) { return number != 0; });
  }
  WorkloadDefinition definition;
  HostData data;
};

}  // namespace

// 2 x 2 elements have 5 x 5 nodes inside. Along an axis nodes 0, 1 | 3, 4 lie inside of an element and see 3
// nodes each, node 2 is the corner of both and sees all 5. So one row has 25 numbers, eight have 15 and
// sixteen 9: (3 + 3 + 5 + 3 + 3)^2 = 289. All 25 rows are of one warp and as long as its first one: the k-th
// numbers begin at 25 k.
TEST_CASE("rows of a warp are filled up to its first one, the longest") {
  Jagged jagged("spmv_jagged@tiny:elements=2");
  CHECK(jagged.definition.values.at("numbers") == 289);
  CHECK(jagged.numbers() == 289);
  CHECK(jagged.data.i32("lengths")[0] == 25);
  const auto row_of = jagged.data.i32("row_of"), diagonals = jagged.data.i32("diagonals"),
             column = jagged.data.i32("column");
  CHECK(row_of[0] == 12);  // the corner in the middle
  CHECK(std::vector<int>(row_of.begin() + 1, row_of.begin() + 9) ==
        std::vector<int>{2, 7, 10, 11, 13, 14, 17, 22});
  CHECK(std::set<int>(row_of.begin(), row_of.end()).size() == 25);
  for (int k = 0; k < 25; ++k) {
    CHECK(diagonals[k] == 25 * k);
    CHECK(column[diagonals[k]] == k);
  }
  // Node 2 of the first line sees lines 0 to 2, all of them: 0 to 14, then nothing. Node 0, the first of nine
  // numbers, sees three nodes of each.
  std::vector<int> second, ninth;
  for (int k = 0; k < 25; ++k) {
    second.push_back(column[diagonals[k] + 1]);
    ninth.push_back(column[diagonals[k] + 9]);
  }
  CHECK(std::vector<int>(second.begin(), second.begin() + 15) ==
        std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14});
  CHECK(std::vector<int>(ninth.begin(), ninth.begin() + 10) ==
        std::vector<int>{0, 1, 2, 5, 6, 7, 10, 11, 12, 0});
}

// 8 x 8 elements: 529 rows, (15 x 8 - 13)^2 numbers. The longest rows, 49 numbers, are those of the 25
// corners that are not next to the border: the first warp has them all.
TEST_CASE("diagonals end with the warps whose rows are shorter") {
  Jagged jagged("spmv_jagged@tiny");
  CHECK(jagged.numbers() == 107 * 107);
  const auto lengths = jagged.data.i32("lengths"), diagonals = jagged.data.i32("diagonals");
  CHECK(std::is_sorted(lengths.begin(), lengths.begin() + 17, [](int a, int b) { return a > b; }));
  CHECK(lengths[0] == 49);
  for (int k = 0; k < 48; ++k) {
    int rows = 0;
    for (int warp = 0; warp < 17; ++warp)
      if (lengths[warp] > k) rows += warp == 16 ? 529 - 16 * 32 : 32;
    CHECK(diagonals[k + 1] - diagonals[k] == rows);
  }
}
