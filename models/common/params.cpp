#include "models/common/params.h"

#include "models/common/text.h"

namespace strata {
namespace {

/// Checks values set from C++ against the ranges that YAML values are checked against when parsed.
class RangeCheck final : public ParamVisitor {
 public:
  Faults faults;
  void integer(const ParamInfo& info, int& field, Range range) override { check(info, field, range); }
  void bytes(const ParamInfo& info, Bytes& field, Range range) override {
    check(info, static_cast<std::int64_t>(field.count), range);
  }
  void real(const ParamInfo& info, double& field, double min, double max) override {
    if (!(field >= min && field <= max))
      fail(info, std::to_string(field), std::to_string(min) + " to " + std::to_string(max));
  }
  void flag(const ParamInfo&, bool&) override {}
  void text(const ParamInfo&, std::string&) override {}
  void choice_index(const ParamInfo& info, int& index, const std::vector<std::string>& names) override {
    if (index < 0 || index >= static_cast<int>(names.size()))
      fail(info, "none of the choices", comma_list(names));
  }

 private:
  void check(const ParamInfo& info, std::int64_t value, Range range) {
    if (!range.allows(value))
      fail(info, std::to_string(value),
           (range.or_zero ? "0, or " : "") + std::to_string(range.min) + " to " + std::to_string(range.max) +
               (range.power_of_two ? ", a power of two" : ""));
  }
  void fail(const ParamInfo& info, const std::string& value, const std::string& allowed) {
    faults.push_back(param_fault(info.name, "is " + value + "; allowed: " + allowed));
  }
};

}  // namespace

Fault param_fault(std::string_view name, std::string message) {
  return Fault{{std::string(name), 0, 0}, std::move(message)};
}

std::string to_text(const Fault& of_validate, std::string_view instance) {
  std::string text = std::string(instance) + "." + of_validate.where.file + ": " + of_validate.message;
  for (std::size_t at = text.find("$."); at != std::string::npos; at = text.find("$.", at + instance.size()))
    text.replace(at, 1, instance);
  return text;
}

void require_valid(ParamSet& params, std::string_view instance) {
  RangeCheck check;
  params.for_each_param(check);
  Faults faults = std::move(check.faults);
  for (Fault& fault : params.validate()) faults.push_back(std::move(fault));
  if (faults.empty()) return;
  for (Fault& fault : faults) {
    fault.message = to_text(fault, instance);
    fault.where = {};
  }
  throw ConfigError(std::move(faults));
}

}  // namespace strata
