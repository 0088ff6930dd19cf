#include "tb/machines/values.h"

#include <algorithm>
#include <cstdio>

namespace strata::tb {
namespace {

/// Memory that a block keeps books on: what is larger is out of a test's reach, not out of the program's.
constexpr std::int64_t largest_bytes = 4 << 20;

std::int64_t down_to_power(std::int64_t value) {
  std::int64_t power = 1;
  while (power <= value / 2) power *= 2;
  return power;
}

class Drawer final : public ParamVisitor {
 public:
  explicit Drawer(Random& random) : dice_(random) {}
  std::vector<DrawnValue> values;

  void integer(const ParamInfo& info, int& field, Range range) override {
    add(info, std::to_string(whole(field, range)));
  }
  void bytes(const ParamInfo& info, Bytes& field, Range range) override {
    range.max = std::max(range.min, std::min(range.max, largest_bytes));
    std::int64_t value = whole(static_cast<std::int64_t>(field.count), range);
    const std::int64_t grain = value >= 4096 ? 1024 : 128;  // sizes are whole numbers of lines, mostly
    if (!range.power_of_two && value > grain && dice_.chance(0.9))
      value = std::max(range.min, value / grain * grain);
    add(info, std::to_string(value));
  }
  void real(const ParamInfo& info, double& field, double min, double max) override {
    double value = min + dice_.unit() * (max - min);
    const double kind = dice_.unit();
    if (kind < 0.4) value = field * (0.25 + 3 * dice_.unit());
    if (kind > 0.8) value = dice_.chance(0.5) ? min : max;
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", std::clamp(value, min, max));
    add(info, text);
  }
  void flag(const ParamInfo& info, bool& field) override {
    add(info, dice_.chance(0.8) == field ? "false" : "true");
  }
  void text(const ParamInfo& info, std::string&) override { add(info, ""); }
  void choice_index(const ParamInfo& info, int&, const std::vector<std::string>& names) override {
    add(info, dice_.one_of(names));
  }

 private:
  std::int64_t whole(std::int64_t present, const Range& range) {
    if (range.or_zero && dice_.chance(0.2)) return 0;
    std::int64_t value = dice_.log_between(range.min, range.max);
    const double kind = dice_.unit();
    if (kind < 0.35)
      value = dice_.log_between(present / 4, present * 4);
    else if (kind < 0.7)
      value = dice_.between(range.min, range.min + 8);
    else if (kind < 0.8)
      value = dice_.chance(0.5) ? range.min : range.max;
    value = std::clamp(value, range.min, range.max);
    return range.power_of_two ? std::max(range.min, down_to_power(value)) : value;
  }
  void add(const ParamInfo& info, std::string text) {
    values.push_back({std::string(info.name), std::string(info.unit), std::move(text)});
  }

  Random& dice_;
};

}  // namespace

std::vector<DrawnValue> draw_values(ParamSet& params, Random& random) {
  Drawer drawer(random);
  params.for_each_param(drawer);
  return std::move(drawer.values);
}

}  // namespace strata::tb
