#include "platforms/engine/netlist/param_values.h"

namespace strata::platforms {
namespace {

class Collector final : public ParamVisitor {
 public:
  explicit Collector(ParamValues& values) : values_(values) {}
  void integer(const ParamInfo& info, int& field, Range) override { set(info, field); }
  void bytes(const ParamInfo& info, Bytes& field, Range) override {
    set(info, static_cast<double>(field.count));
  }
  void real(const ParamInfo& info, double& field, double, double) override { set(info, field); }
  void flag(const ParamInfo& info, bool& field) override { set(info, field ? 1 : 0); }
  void text(const ParamInfo& info, std::string& field) override {
    values_.texts[std::string(info.name)] = field;
  }
  void choice_index(const ParamInfo& info, int& index, const std::vector<std::string>& names) override {
    if (index >= 0 && index < static_cast<int>(names.size()))
      values_.texts[std::string(info.name)] = names[static_cast<std::size_t>(index)];
  }

 private:
  void set(const ParamInfo& info, double value) { values_.numbers[std::string(info.name)] = value; }
  ParamValues& values_;
};

}  // namespace

ParamValues::ParamValues(ParamSet& params) {
  Collector collector(*this);
  params.for_each_param(collector);
}

double ParamValues::number(const std::string& name, double otherwise) const {
  const auto found = numbers.find(name);
  return found == numbers.end() ? otherwise : found->second;
}

std::string ParamValues::text(const std::string& name) const {
  const auto found = texts.find(name);
  return found == texts.end() ? std::string() : found->second;
}

std::optional<CacheShape> cache_shape(const ParamValues& values, std::uint64_t line_bytes) {
  CacheShape shape;
  shape.line = static_cast<std::uint64_t>(values.number("line", static_cast<double>(line_bytes)));
  shape.ways = static_cast<int>(values.number("ways", 0));
  const std::uint64_t bytes_of_a_set = shape.line * static_cast<std::uint64_t>(shape.ways);
  if (bytes_of_a_set == 0) return std::nullopt;
  shape.sets = static_cast<std::uint64_t>(values.number("size", 0)) / bytes_of_a_set;
  if (shape.sets == 0) return std::nullopt;
  if (const auto* kind = find_named(set_index_kinds, values.text("set_index"))) shape.set_index = kind->value;
  shape.shared = {static_cast<int>(values.number("homes", 1)),
                  static_cast<int>(values.number("home_run", 1))};
  return shape;
}

}  // namespace strata::platforms
