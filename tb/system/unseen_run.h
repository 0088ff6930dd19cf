#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "tb/support/catch.h"
#include "traces/ptx/ptx.h"

namespace strata::tb {

using namespace traces;
using Words = std::vector<std::uint32_t>;
using Ints = std::vector<std::int32_t>;
using Floats = std::vector<float>;

inline const std::vector<std::string> compilations = {"unseen_sm80", "unseen_sm90_O0", "unseen_sm100"};

/// One kernel of one compilation with its memory.
struct UnseenRun {
  std::shared_ptr<const PtxProgram> program;
  std::string kernel;
  GlobalMemory memory;

  UnseenRun(const std::string& file, const std::string& name)
      : program(PtxProgram::load("tb/data/ptx/" + file + ".ptx", {name})), kernel(name) {}
  void operator()(Dim3 grid, Dim3 block, std::vector<PtxArgument> arguments, std::uint32_t shared = 0) {
    PtxLaunch l;
    l.program = program;
    l.kernel = kernel;
    l.grid = grid;
    l.block = block;
    l.dynamic_shared_bytes = shared;
    l.arguments = std::move(arguments);
    execute(l, memory);
  }
};

/// The kernel in every compilation.
inline void in_all(const std::string& kernel, const std::function<void(UnseenRun&)>& body) {
  for (const std::string& file : compilations) {
    INFO(file);
    UnseenRun run(file, kernel);
    body(run);
  }
}

template <class T>
std::vector<T> random_values(std::size_t n, std::int64_t low, std::int64_t high, unsigned seed = 7) {
  std::mt19937_64 random(seed);
  std::vector<T> values(n);
  for (T& v : values)
    v = static_cast<T>(low +
                       static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1)));
  return values;
}

}  // namespace strata::tb
