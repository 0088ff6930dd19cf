#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>

#include "models/common/faults.h"
#include "tb/fuzz/ptx_check.h"
#include "tb/support/catch.h"
#include "traces/ptx/ptx.h"

using namespace strata;
using namespace strata::traces;

namespace {

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// One change: a byte, a digit (another register or size), a piece cut out, doubled or moved, or a word from
/// elsewhere.
std::string mutate(std::string text, std::mt19937_64& random) {
  const auto at = [&] { return random() % text.size(); };
  const std::size_t a = at(), n = std::min<std::size_t>(random() % 40, text.size() - a);
  switch (random() % 6) {
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
    case 4: {
      const std::size_t digit = text.find_first_of("0123456789", a);
      if (digit != std::string::npos) text[digit] = static_cast<char>('0' + random() % 10);
      break;
    }
    default: {
      static const char* const words[] = {
          "%r1", "%rd1",    "-1",     "0xffffffffffffffff", ".v4", ".b8",  "{", "}",          "[",     "]",
          ";",   ".shared", ".param", "<4294967295>",       "%p1", "call", "@", "0f7F800000", ".f16x2"};
      text.insert(a, words[random() % (sizeof(words) / sizeof(words[0]))]);
    }
  }
  return text.empty() ? " " : text;
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
        tb::run_ptx(program);
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

TEST_CASE("ptx: damaged files are refused or analysed, and a rewrite is its own rewrite") {
  const char* const files[] = {"tb/data/ptx/mixed_sm80.ptx", "tb/data/ptx/saxpy_clang_O0.ptx",
                               "traces/kernels/bfs.ptx", "traces/kernels/sort.ptx",
                               "traces/kernels/reduction.ptx"};
  std::mt19937_64 random(20261122);
  INFO("seed 20261122");
  int taken = 0, refused = 0;
  for (const char* file : files) {
    const std::string original = text_of(file);
    REQUIRE(!original.empty());
    for (int round = 0; round < 300; ++round) {
      std::string text = original;
      for (int n = static_cast<int>(random() % 2); n >= 0; --n) text = mutate(text, random);
      ++(tb::check_ptx(text) ? taken : refused);
    }
  }
  CHECK(taken > 100);
  CHECK(refused > 100);
}

TEST_CASE("ptx: a kernel without instructions is taken, analysed and run") {
  const std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n}\n";
  CHECK(tb::check_ptx(text));
  const auto program = PtxProgram::parse(text, "empty.ptx");
  tb::run_ptx(program);
}

TEST_CASE("ptx: what ends in the middle of a number or holds zero bytes is refused with its place") {
  const auto message = [](const std::string& text) {
    try {
      PtxProgram::parse(text, "cut.ptx");
    } catch (const TraceError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  // The exponent that is not there was once skipped, past the end of the text.
  CHECK_THAT(message(".version 8.0e"), tb::has_text("cut.ptx:1:13: expected a directive, found 'e'"));
  CHECK_THAT(message(".version 8.0e+"), tb::has_text("cut.ptx:1:13"));
  CHECK_THAT(message(std::string(".version 8.0\n\0", 14)), tb::has_text("cut.ptx:2:1: unexpected character"));
}

TEST_CASE("ptx: files that ask for too much are refused") {
  const std::string head = ".version 8.0\n.target sm_80\n.address_size 64\n";
  const auto message = [&](const std::string& text) {
    try {
      PtxProgram::parse(head + text, "large.ptx");
    } catch (const TraceError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto chain = [](int functions, int calls) {
    std::string text = ".func f0()\n{\n.reg .b32 %r<3>;\nadd.u32 %r1, %r1, %r2;\nret;\n}\n";
    for (int i = 1; i < functions; ++i) {
      text += ".func f" + std::to_string(i) + "()\n{\n";
      for (int c = 0; c < calls; ++c) text += "call f" + std::to_string(i - 1) + ";\n";
      text += "ret;\n}\n";
    }
    return text + ".visible .entry k()\n{\ncall f" + std::to_string(functions - 1) + ";\nret;\n}\n";
  };
  // 2000 calls inside each other once used up the stack; 2 to the power of 30 calls are too large to inline.
  CHECK_THAT(message(chain(2000, 1)), tb::has_text("calls nested too deep"));
  CHECK_THAT(message(chain(30, 2)), tb::has_text("too large with its functions inlined"));
  CHECK(message(chain(100, 1)).empty());
  // So did negations: one is allowed.
  CHECK_THAT(message(".visible .entry k()\n{\n.reg .pred %p<3>;\nnot.pred %p1, " + std::string(100000, '!') +
                     "%p2;\n}\n"),
             tb::has_text("expected an operand behind '!'"));
}
