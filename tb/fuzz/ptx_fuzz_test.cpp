#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>

#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "traces/ptx/ptx.h"

using namespace strata;
using namespace strata::traces;

namespace {

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// One change: a byte, a piece cut out, doubled or moved, or a word from elsewhere in the file.
std::string mutate(std::string text, std::mt19937_64& random) {
  const auto at = [&] { return random() % text.size(); };
  const std::size_t a = at(), n = std::min<std::size_t>(random() % 40, text.size() - a);
  switch (random() % 5) {
    case 0:
      text[a] = static_cast<char>(random() % 96 + 32);
      break;
    case 1:
      text.erase(a, n);
      break;
    case 2:
      text.insert(a, text.substr(a, n));
      break;
    case 3:
      text.insert(at(), text.substr(a, n));
      break;
    default: {
      static const char* const words[] = {
          "%r1", "%rd1",    "-1",     "0xffffffffffffffff", ".v4", ".b8",  "{", "}",          "[",     "]",
          ";",   ".shared", ".param", "<4294967295>",       "%p1", "call", "@", "0f7F800000", ".f16x2"};
      text.insert(a, words[random() % (sizeof(words) / sizeof(words[0]))]);
    }
  }
  return text.empty() ? " " : text;
}

/// Runs every kernel that is left with small launches; faults are what it is about, crashes are not allowed.
void run_all(const PtxProgram& program, const std::shared_ptr<const PtxProgram>& shared) {
  for (const PtxKernel& k : program.kernels()) {
    GlobalMemory memory;
    PtxLaunch l;
    l.program = shared;
    l.kernel = k.name;
    l.block.x = 40;
    for (const PtxParameter& p : k.parameters) {
      PtxArgument argument;
      argument.bytes.resize(p.bytes, 3);
      if (p.bytes == 8) argument = PtxArgument(memory.upload(std::vector<std::uint32_t>(512, 1)));
      if (p.bytes == 4) argument = PtxArgument(std::uint32_t{16});
      l.arguments.push_back(argument);
    }
    PtxOptions options;
    options.watchdog = 20000;
    execute(l, memory, options);
  }
}

}  // namespace

TEST_CASE("ptx: mutated programs give a message or run, and never crash") {
  const char* const files[] = {"tb/data/ptx/mixed_sm80.ptx", "tb/data/ptx/saxpy_clang_O0.ptx",
                               "tb/data/ptx/saxpy_clang_O2.ptx"};
  std::mt19937_64 random(20261121);
  INFO("seed 20261121");
  int loaded = 0, refused = 0;
  for (const char* file : files) {
    const std::string original = text_of(file);
    REQUIRE(!original.empty());
    for (int round = 0; round < 1500; ++round) {
      std::string text = original;
      for (int n = static_cast<int>(random() % 4); n >= 0; --n) text = mutate(text, random);
      try {
        const auto program = PtxProgram::parse(text, "fuzz.ptx");
        ++loaded;
        run_all(*program, program);
      } catch (const TraceError& error) {
        CHECK(std::string(error.what()).size() > 10);
        ++refused;
      } catch (const ConfigError&) {
        ++refused;
      }
    }
  }
  CHECK(loaded > 50);
  CHECK(refused > 50);
}
