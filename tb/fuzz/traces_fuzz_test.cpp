#include <filesystem>
#include <fstream>
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
