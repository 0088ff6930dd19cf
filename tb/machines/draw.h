#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "models/common/params.h"
#include "platforms/engine/netlist/resolved_netlist.h"

namespace strata::tb {

/// The random choices of one case: a function of seed and number alone, the same with every standard library.
class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t number) {
    std::seed_seq mixed{low(seed), high(seed), low(number), high(number)};
    engine_.seed(mixed);
  }

  std::uint64_t below(std::uint64_t end) { return engine_() % end; }  // the bias does not matter here
  std::int64_t between(std::int64_t first, std::int64_t last) {
    return first + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(last - first) + 1));
  }
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  bool chance(double share) { return unit() < share; }
  /// Every order of magnitude alike.
  std::int64_t log_between(std::int64_t first, std::int64_t last) {
    const double low = std::log(static_cast<double>(first) + 1),
                 high = std::log(static_cast<double>(last) + 2);
    const auto value = static_cast<std::int64_t>(std::exp(low + unit() * (high - low)) - 1);
    return value < first ? first : value > last ? last : value;
  }
  template <class T>
  const T& one_of(const std::vector<T>& choices) {
    return choices[below(choices.size())];
  }

 private:
  static std::uint32_t low(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
  static std::uint32_t high(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }
  std::mt19937_64 engine_;
};

/// Arguments that stand and fall together: {"--set", "l1.ways=8"}, {"--no-repeat"}.
using Part = std::vector<std::string>;

/// A machine and what it runs, as `strata run` wants it: a platform, and parts that may be left out.
struct Machine {
  std::string platform;
  std::vector<Part> parts;
};

/// The words behind the program's name, without those that only say where results go.
std::vector<std::string> arguments_of(const Machine& machine);

/// `strata run ...`, ready to paste into a shell.
std::string command_line(const Machine& machine);

/// What there is to draw from; read from the program's own libraries and folders, in a fixed order.
struct Catalog {
  std::vector<std::string> platforms;    ///< "tiny", "isca19/shared", ...
  std::vector<std::string> variants;     ///< "isca19/variants/hynix", ...
  std::vector<std::string> timing_sets;  ///< "gddr5", ...
  std::vector<std::string> samples;      ///< "traces/samples/saxpy", ...
  std::vector<std::string> workloads;    ///< "gemm", ...
};

/// `samples`: the folder of sample traces.
Catalog read_catalog(const std::string& samples);

/// A parameter with a value that its documented range allows.
struct DrawnValue {
  std::string name;
  std::string unit;
  std::string text;  ///< empty: a name, whose choices no range tells
};

/// Such a value for every parameter: often near its present one, sometimes anywhere, sometimes at an end of
/// the range.
std::vector<DrawnValue> draw_values(ParamSet& params, Random& random);

/// Counts of clusters, SMs, slices and controllers that fit together: most machines are small ones.
Part draw_shape(const platforms::ResolvedNetlist& netlist, Random& random);

/// One change of the machine: a parameter of a group or of some of its members, a clock, a timing, the
/// address map.
Part draw_setting(const platforms::ResolvedNetlist& netlist, const Catalog& catalog, Random& random);

/// `key` of every group that has such a parameter: what the whole machine has to agree on.
Part set_everywhere(const platforms::ResolvedNetlist& netlist, const std::string& key,
                    const std::string& value);

/// What the machine runs; traffic generators need nothing.
std::vector<Part> draw_programs(const platforms::ResolvedNetlist& netlist, const Catalog& catalog,
                                Random& random);

/// The values of the `--set` options of all parts.
std::vector<std::string> settings_of(const std::vector<Part>& parts);

/// The group built of that module kind, or null.
const platforms::ResolvedGroup* group_of_kind(const platforms::ResolvedNetlist& netlist,
                                              std::string_view kind);

/// Case `number` of `seed`: a platform, often scaled down, with some variants, settings and timings, and
/// programs small enough to take a fraction of a second. Everything lies in its documented range; the whole
/// may still be refused.
Machine draw_machine(std::uint64_t seed, std::uint64_t number, const Catalog& catalog);

}  // namespace strata::tb
