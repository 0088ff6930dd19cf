#include <fstream>
#include <map>

#include "tb/data/ptx/gpu/case_table.h"
#include "tb/support/catch.h"
#include "traces/ptx/ptx.h"

using namespace strata::traces;

namespace {

std::vector<std::uint32_t> interpreted(const gpu_cases::Case& c) {
  GlobalMemory memory;
  const std::vector<std::uint64_t> in = gpu_cases::operands(c, gpu_cases::warps);
  const std::size_t words = std::size_t{gpu_cases::warps} * 32 * gpu_cases::result_words(c);
  PtxLaunch launch;
  launch.program = PtxProgram::parse(gpu_cases::ptx(c), c.name);
  launch.kernel = "k";
  launch.grid.x = gpu_cases::warps;
  launch.block.x = 32;
  const strata::Address from = memory.upload(in, "in"),
                        to = memory.upload(std::vector<std::uint32_t>(words), "out");
  launch.arguments = {from, to};
  execute(launch, memory);
  return memory.load<std::uint32_t>(to, words);
}

/// Lines of the file by case.
std::map<std::string, std::string> expected() {
  std::ifstream file("tb/data/ptx/gpu/h100.txt");
  std::map<std::string, std::string> lines;
  for (std::string line; std::getline(file, line);) lines[line.substr(0, line.find(' '))] = line;
  return lines;
}

/// Groups of cases by the first word of their names.
const std::vector<std::string> groups = {"mma", "wmma", "ldmatrix", "stmatrix", "movmatrix", "cvt"};

std::string group_of(const gpu_cases::Case& c) {
  const std::string word = c.name.substr(0, c.name.find('.'));
  for (const std::string& group : groups)
    if (word == group) return word;
  return "others";
}

void check(const std::string& group, std::size_t count) {
  const auto lines = expected();
  std::size_t compared = 0;
  for (const gpu_cases::Case& c : gpu_cases::table()) {
    if (group_of(c) != group || !c.exact) continue;
    INFO(c.name);
    const auto line = lines.find(c.name);
    REQUIRE(line != lines.end());
    CHECK(gpu_cases::line(c, interpreted(c)) == line->second);
    ++compared;
  }
  CHECK(compared == count);
}

}  // namespace

// A digest for each of the eight ways to draw operands, of 16 warps each: tb/data/ptx/gpu/README.md.

TEST_CASE("ptx gpu: products of matrices have the bits of an H100") {
  check("mma", 91);
}
TEST_CASE("ptx gpu: wmma has fragments, sums and stores of an H100") {
  check("wmma", 190);
}
TEST_CASE("ptx gpu: matrices move between memory and lanes as on an H100") {
  check("ldmatrix", 6);
  check("stmatrix", 6);
  check("movmatrix", 1);
}
TEST_CASE("ptx gpu: conversions have the bits of an H100") {
  check("cvt", 202);
}
TEST_CASE("ptx gpu: arithmetic, instructions across lanes and atomics have the bits of an H100") {
  check("others", 271);
}
