#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <unistd.h>

#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "traces/accelsim/line_reader.h"
#include "traces/tools.h"

using namespace strata;
using namespace strata::traces;

// Every mutation is either read or refused with TraceError; anything else, a crash or a hang fails the test.
TEST_CASE("Mutated Accel-Sim text is read or refused") {
  LineReader lines("traces/samples/vectoradd_160/kernel-1.traceg.xz");
  std::string text, piece;
  std::string_view line;
  for (int i = 0; i < 160 && lines.next(line); ++i) text += std::string(line) + "\n";  // header and one block
  text.replace(text.find("(160,1,1)"), 9, "(1,1,1)");
  const std::string path =
      (std::filesystem::temp_directory_path() / ("strata-fuzz-" + std::to_string(::getpid()) + ".traceg"))
          .string();
  const unsigned seed = 7;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  const std::string alphabet = "0123456789abcdefxR-#=(),. \n\t\xff";
  int refused = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string mutated = text;
    for (std::uint64_t n = 1 + random() % 4; n > 0; --n) {
      const std::size_t at = random() % mutated.size();
      const std::size_t length = std::min<std::size_t>(random() % 40, mutated.size() - at);
      if (random() % 3 == 0)
        mutated[at] = alphabet[random() % alphabet.size()];
      else if (random() % 2 == 0)
        mutated.erase(at, length);
      else
        mutated.insert(random() % mutated.size(), mutated.substr(at, length));
    }
    std::ofstream(path, std::ios::binary) << mutated;
    try {
      check(path);
    } catch (const TraceError&) {
      ++refused;
    }
  }
  std::filesystem::remove(path);
  CHECK(refused > 1000);
}

namespace {

std::string read_all(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Change, remove or repeat a few bytes.
std::string mutate(std::string text, std::mt19937_64& random, const std::string& alphabet) {
  for (std::uint64_t n = 1 + random() % 3; n > 0 && !text.empty(); --n) {
    const std::size_t at = random() % text.size();
    const std::size_t length = std::min<std::size_t>(random() % 20, text.size() - at);
    const std::uint64_t kind = random() % 4;
    if (kind < 2)
      text[at] = alphabet.empty() ? static_cast<char>(random()) : alphabet[random() % alphabet.size()];
    else if (kind == 2)
      text.erase(at, length);
    else
      text.insert(random() % text.size(), text.substr(at, length));
  }
  return text;
}

/// True when `check` refuses it.
bool refused(const std::string& path) {
  try {
    check(path);
    return false;
  } catch (const TraceError&) {
    return true;
  }
}

}  // namespace

// Checksums, counts and offsets leave no mutation of a record unseen that changes what it holds.
TEST_CASE("Mutated records are refused, or hold what they held") {
  const auto folder =
      std::filesystem::temp_directory_path() / ("strata-fuzz-record-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const std::string path = (folder / "trace.strata").string();
  convert(*open_trace("synthetic:random:ctas=5,warps=2,loads=8,stores=0.2"), path);
  const std::string whole = read_all(path), held = to_json(analyse(*open_trace(path)));
  const unsigned seed = 11;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  int changed = 0;
  for (int round = 0; round < 4000; ++round) {
    const std::string mutated = mutate(whole, random, {});
    if (mutated == whole) continue;
    ++changed;
    std::ofstream(path, std::ios::binary) << mutated;
    INFO("round " << round);
    if (!refused(path) && to_json(analyse(*open_trace(path))) != held) FAIL("a mutated record was read");
  }
  std::filesystem::remove_all(folder);
  CHECK(changed > 3000);
}

TEST_CASE("Mutated kernel lists are read or refused") {
  const auto folder =
      std::filesystem::temp_directory_path() / ("strata-fuzz-list-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const std::string kernel =
      "-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-binary version = 70\n-accelsim tracer version = 5\n"
      "#traces format\n#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n0010 ffffffff 0 EXIT 0 0 0\n"
      "#END_TB\n";
  std::ofstream(folder / "kernel-1.traceg") << kernel;
  const std::string list =
      "MemcpyHtoD,0x00007f0000000000,163840\nkernel-1.traceg\n\nMemcpyHtoD,7f00,10\nkernel-1.traceg\n";
  const std::string path = (folder / "kernelslist.g").string();
  const unsigned seed = 13;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  int bad = 0;
  for (int round = 0; round < 4000; ++round) {
    std::ofstream(path, std::ios::binary) << mutate(list, random, "0123456789abcdefx,./k \n\t\xff");
    bad += refused(path) ? 1 : 0;
  }
  std::filesystem::remove_all(folder);
  CHECK(bad > 1000);
  CHECK(bad < 4000);
}
