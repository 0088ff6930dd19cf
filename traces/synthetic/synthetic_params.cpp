#include "traces/synthetic/synthetic_params.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "models/common/faults.h"
#include "models/common/named.h"
#include "models/common/random_stream.h"

namespace strata::traces {
namespace {

using Pattern = SyntheticParams::Pattern;
constexpr Named<Pattern> patterns[] = {{Pattern::streaming, "streaming"},
                                       {Pattern::strided, "strided"},
                                       {Pattern::random, "random"},
                                       {Pattern::hot_set, "hot_set"},
                                       {Pattern::chase, "chase"}};
static_assert(names_all(patterns, Pattern::chase));

/// Sets the one parameter called `key` from text.
class Setter final : public ParamVisitor {
 public:
  Setter(std::string_view key, std::string_view value) : key_(key), value_(value) {}
  bool found = false;
  std::string fault;
  std::vector<std::string> names;

  void integer(const ParamInfo& info, int& field, Range range) override {
    if (!mine(info)) return;
    const auto value = parse_integer(value_);
    if (!value || *value < range.min || *value > range.max) return refuse(info, range, "a whole number");
    field = static_cast<int>(*value);
  }
  void bytes(const ParamInfo& info, Bytes& field, Range range) override {
    if (!mine(info)) return;
    auto value = parse_bytes(value_);
    if (!value) {
      const auto address = parse_integer(value_);  // base=0x7f0000000000
      if (address && *address >= 0) value = Bytes{static_cast<std::uint64_t>(*address)};
    }
    if (!value || static_cast<std::int64_t>(value->count) < range.min ||
        static_cast<std::int64_t>(value->count) > range.max)
      return refuse(info, range, "a size such as 64KiB");
    field = *value;
  }
  void real(const ParamInfo& info, double& field, double min, double max) override {
    if (!mine(info)) return;
    const auto value = parse_real(value_);
    if (value && *value >= min && *value <= max)
      field = *value;
    else
      fault = message(info) + "a number from " + shown(min) + " to " + shown(max);
  }
  void flag(const ParamInfo& info, bool& field) override {
    if (!mine(info)) return;
    if (value_ == "true" || value_ == "false")
      field = value_ == "true";
    else
      fault = message(info) + "true or false";
  }
  void text(const ParamInfo& info, std::string& field) override {
    if (mine(info)) field = value_;
  }
  void choice_index(const ParamInfo& info, int& index, const std::vector<std::string>& choices) override {
    if (!mine(info)) return;
    const auto at = std::find(choices.begin(), choices.end(), value_);
    if (at != choices.end())
      index = static_cast<int>(at - choices.begin());
    else
      fault = message(info) + "one of " + list_of(patterns) + suggestion(value_, choices);
  }

 private:
  bool mine(const ParamInfo& info) {
    names.emplace_back(info.name);
    if (info.name != key_) return false;
    found = true;
    return true;
  }
  static std::string shown(double value) {
    std::ostringstream out;
    out << value;
    return out.str();
  }
  std::string message(const ParamInfo& info) const {
    return std::string(info.name) + ": found '" + std::string(value_) + "', expected ";
  }
  void refuse(const ParamInfo& info, Range range, const char* what) {
    fault = message(info) + what + " from " + std::to_string(range.min) + " to " + std::to_string(range.max);
  }

  std::string_view key_;
  std::string_view value_;
};

/// Writes every parameter as `name=value`.
class Writer final : public ParamVisitor {
 public:
  std::vector<std::string> items;
  void integer(const ParamInfo& info, int& field, Range) override { add(info, std::to_string(field)); }
  void bytes(const ParamInfo& info, Bytes& field, Range) override {
    std::string text = to_text(field);
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
    add(info, text);
  }
  void real(const ParamInfo& info, double& field, double, double) override {
    char text[32];  // the shortest decimal that reads back as the same number
    add(info, std::string(text, std::to_chars(text, text + sizeof text, field).ptr));
  }
  void flag(const ParamInfo& info, bool& field) override { add(info, field ? "true" : "false"); }
  void text(const ParamInfo& info, std::string& field) override { add(info, field); }
  void choice_index(const ParamInfo& info, int& index, const std::vector<std::string>& names) override {
    add(info, names[static_cast<std::size_t>(index)]);
  }

 private:
  void add(const ParamInfo& info, const std::string& value) {
    items.push_back(std::string(info.name) + "=" + value);
  }
};

constexpr std::int64_t max_footprint = std::int64_t{256}
                                       << 30;  // 2^31 lines: line numbers stay below 32 bits

/// A CTA is built completely when it starts: 40 bytes an instruction, 80 to 2560 resident CTAs.
constexpr std::uint64_t max_cta_instructions = std::uint64_t{1} << 20;

}  // namespace

void SyntheticParams::for_each_param(ParamVisitor& v) {
  v.choice({"pattern", "", "How a warp's accesses follow each other"}, pattern, patterns);
  v.integer({"kernels", "", "Kernels, all alike"}, kernels, {1, 65535});
  v.integer({"ctas", "CTAs", "CTAs per kernel"}, ctas, {1, 1 << 30});
  v.integer({"warps", "warps", "Warps per CTA"}, warps, {1, 32});
  v.integer({"loads", "instructions", "Memory instructions per warp, stores and atomics included"}, loads,
            {1, 1 << 24});
  v.integer(
      {"alu", "instructions", "ALU instructions per memory instruction; the first reads the loaded register"},
      alu, {0, 1000});
  v.integer({"in_flight", "instructions",
             "Memory instructions issued back to back before the first result is read"},
            in_flight, {1, 64});
  v.real({"stores", "", "Share of the memory instructions that are stores"}, stores, 0, 1);
  v.real({"atomics", "", "Share of the memory instructions that are atomics"}, atomics, 0, 1);
  v.real({"hits", "", "Probability that a load repeats a line that its warp loaded recently and has used"},
         hits, 0, 1);
  v.integer({"reuse", "lines", "A repeated load chooses from this many of its warp's last new lines"}, reuse,
            {1, 64});
  v.bytes({"footprint", "bytes",
           "Bytes touched in all; 0 = streaming, strided and hot_set touch every byte once, random and chase "
           "16 MiB"},
          footprint, {0, max_footprint});
  v.bytes(
      {"stride", "bytes", "Distance of neighbouring lanes' addresses; 0 = 128 B for strided, 4 B for others"},
      stride, {0, 1 << 20});
  v.real({"hot_fraction", "", "hot_set: share of the accesses that go to the hot region"}, hot_fraction, 0,
         1);
  v.bytes({"hot_size", "bytes", "hot_set: size of the region that all SMs share"}, hot_size,
          {128, max_footprint});
  v.bytes({"base", "bytes", "Address of the first byte"}, base, {128, std::int64_t{1} << 48});
  v.flag({"read_only", "", "Loads are of data that no store of the kernel can reach"}, read_only);
  v.integer({"registers", "registers", "Registers per thread, for the occupancy"}, registers, {16, 255});
  v.bytes({"shared", "bytes", "Shared memory per CTA, for the occupancy"}, shared, {0, 228 * 1024});
  v.integer({"seed", "", "Seed of every random choice; 0 = the seed of the run (--seed)"}, seed, {0});
}

std::uint64_t SyntheticParams::lane_stride() const {
  if (stride.count != 0) return stride.count;
  return pattern == Pattern::strided ? 128 : 4;
}

std::uint64_t SyntheticParams::warp_bytes() const {
  const std::uint64_t span = pattern == Pattern::chase ? 128 : 32 * lane_stride();
  return (span + 127) / 128 * 128;
}

std::uint64_t SyntheticParams::cta_instructions() const {
  const auto count = [](int value) { return static_cast<std::uint64_t>(value); };
  return count(warps) * (2 + count(loads) * (1 + count(alu)));
}

std::uint64_t SyntheticParams::footprint_bytes() const {
  const bool bounded = pattern == Pattern::random || pattern == Pattern::chase;
  return footprint.count == 0 && bounded ? 16 * MiB : footprint.count;
}

Faults SyntheticParams::validate() const {
  Faults faults;
  if (stores + atomics > 1) faults.push_back(param_fault("stores", "stores + atomics must not exceed 1"));
  if (read_only && stores + atomics > 0)
    faults.push_back(param_fault(
        "read_only",
        "is true, but stores or atomics of the stream write what it loads; allowed: both of them 0"));
  if (cta_instructions() > max_cta_instructions)
    faults.push_back(param_fault(
        "loads", "makes CTAs of " + std::to_string(cta_instructions()) +
                     " instructions (warps * (2 + loads * (1 + alu))), allowed are " +
                     std::to_string(max_cta_instructions) + ": use more, shorter CTAs or more kernels"));
  if (base.count % 128 != 0) faults.push_back(param_fault("base", "must be a multiple of 128"));
  const auto whole = [&](const char* name, std::uint64_t bytes) {
    if (bytes != 0 && bytes < warp_bytes())
      faults.push_back(param_fault(name, "is " + to_text(Bytes{bytes}) + ", below the " +
                                             to_text(Bytes{warp_bytes()}) + " that one warp access spans"));
  };
  whole("footprint", footprint_bytes());
  if (pattern == Pattern::hot_set) whole("hot_size", hot_size);
  if (footprint_bytes() == 0) {
    const auto accesses = static_cast<double>(ctas) * warps * loads;
    if (accesses * static_cast<double>(warp_bytes()) > static_cast<double>(std::int64_t{1} << 46))
      faults.push_back(
          param_fault("footprint", "is 0 and the stream would touch more than 64 TiB; give a footprint"));
  }
  return faults;
}

bool SyntheticParams::is_of_run_seed() const {
  const auto drawn = [](double share) { return share > 0 && share < 1; };
  const bool in_order = pattern == Pattern::streaming || pattern == Pattern::strided;
  return seed == 0 && (!in_order || drawn(stores) || drawn(atomics) || hits > 0);
}

int synthetic_seed(std::uint64_t run_seed) {
  constexpr std::uint64_t most = std::numeric_limits<int>::max();
  const bool fits = run_seed != 0 && run_seed <= most;
  return static_cast<int>(fits ? run_seed : 1 + RandomStream(run_seed).below(most));
}

SyntheticParams parse_synthetic(std::string_view spec) {
  SyntheticParams params;
  Faults faults;
  std::string text(spec);
  const std::size_t colon = text.find(':');
  text = "pattern=" + text;
  if (colon != std::string::npos) text[colon + 8] = ',';
  const std::string where = "synthetic stream '" + std::string(spec) + "'";
  std::istringstream items(text);
  std::string item;
  while (std::getline(items, item, ',')) {
    if (item.empty()) continue;
    const std::size_t equals = item.find('=');
    const std::string key = item.substr(0, equals);
    Setter setter(
        key, equals == std::string::npos ? std::string_view{} : std::string_view(item).substr(equals + 1));
    params.for_each_param(setter);
    if (!setter.found)
      faults.push_back({{}, where + ": unknown parameter '" + key + "'" + suggestion(key, setter.names)});
    else if (!setter.fault.empty())
      faults.push_back({{}, where + ": " + setter.fault});
  }
  if (faults.empty())
    for (Fault& fault : params.validate())
      faults.push_back({{}, where + ": " + fault.where.file + " " + fault.message});
  if (!faults.empty()) throw ConfigError(std::move(faults));
  return params;
}

std::string to_spec(const SyntheticParams& params) {
  SyntheticParams copy = params, defaults;
  Writer given, standard;
  copy.for_each_param(given);
  defaults.for_each_param(standard);
  std::string text(row_of_value(patterns, params.pattern).name);
  char separator = ':';
  for (std::size_t i = 1; i < given.items.size(); ++i) {
    if (given.items[i] == standard.items[i]) continue;
    text += separator + given.items[i];
    separator = ',';
  }
  return text;
}

}  // namespace strata::traces
