// The register window of the control: docs/blocks/llc-control.md has the map.
#include "models/llc_control/llc_control.h"

namespace strata {
namespace {

constexpr std::uint64_t identity = 0x1'4c4c4354;  // version 1, "LLCT"
constexpr std::uint64_t first_counter = 0x100;
constexpr std::uint64_t first_slice = 0x1000;

/// Names of all counters, or the value of one.
class CounterReader final : public StatVisitor {
 public:
  explicit CounterReader(std::size_t wanted = 0) : wanted_(wanted) {}
  std::vector<std::string> names;
  std::uint64_t value = 0;
  void counter(const StatInfo& info, const std::uint64_t& counted) override {
    if (names.size() == wanted_) value = counted;
    names.emplace_back(info.name);
  }
  void histogram(const StatInfo&, const Histogram&) override {}
  void ratio(const StatInfo&, std::uint64_t, std::uint64_t) override {}
  void law(std::string_view) override {}

 private:
  std::size_t wanted_;
};

}  // namespace

std::string LlcControl::write_force_mode(std::uint64_t value) {
  if (value > 2) return "allowed: 0 (as the policy wants), 1 (shared), 2 (private)";
  if (!force_mode(value != 0, value == 2 ? LlcMode::private_ : LlcMode::shared))
    return "the organization never changes; only adaptive does";
  return {};
}

std::string LlcControl::write_force_degree(std::uint64_t value) {
  count_time(clock().now());
  if (value > 64 || !force_degree(static_cast<int>(value)))
    return "allowed: 0 (as the policy wants) or a power of two that divides clusters and slices, under "
           "selrep";
  forced_degree_ = value;
  return {};
}

std::string LlcControl::write_epoch(std::uint64_t epoch, std::uint64_t profile) {
  constexpr std::uint64_t most = 1'000'000'000;
  bool had = epoch <= most && profile <= most;
  for (const LlcTenant& tenant : tenants_)
    had = had && tenant.organization->set_epoch(static_cast<int>(epoch), static_cast<int>(profile));
  if (!had)
    return "allowed: an epoch that is longer than the profile (windowed: than two), under adaptive or selrep";
  epoch_cycles_ = epoch;
  profile_cycles() = static_cast<int>(profile);
  return {};
}

void LlcControl::define_registers() {
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  std::uint64_t at = 0;
  const auto next = [&](Register entry) {
    registers.define(at, std::move(entry));
    at += 8;
  };
  next({"IDENTITY", [] { return identity; }, nullptr});
  next({"ORGANIZATION", [=] { return number(params_.organization); }, nullptr});
  next({"MODE", [=] { return number(policy(0).mode()); }, nullptr});
  next({"CHANGING", [=] { return number(changing()); }, nullptr});
  next({"DEGREE", [=] { return number(policy(0).degree()); }, nullptr});
  next({"FORCE_MODE", [=] { return forced_ ? number(forced_mode_) + 1 : 0; },
        [this](std::uint64_t value) { return write_force_mode(value); }});
  next({"FORCE_DEGREE", [=] { return forced_degree_; },
        [this](std::uint64_t value) { return write_force_degree(value); }});
  next({"EPOCH", [=] { return epoch_cycles_; },
        [this](std::uint64_t value) {
          return write_epoch(value, static_cast<std::uint64_t>(profile_cycles()));
        }});
  next({"PROFILE", [=] { return number(profile_cycles()); },
        [this](std::uint64_t value) { return write_epoch(epoch_cycles_, value); }});
  next({"GATING", [=] { return number(params_.gating); },
        [this](std::uint64_t value) -> std::string {
          if (value > 100'000) return "allowed: 0 to 100000";
          params_.gating = static_cast<int>(value);
          return {};
        }});
  next({"CLUSTERS", [=] { return number(params_.clusters); }, nullptr});
  next({"SLICES", [=] { return number(params_.slices); }, nullptr});

  CounterReader names;
  stats_.for_each_stat(names);
  for (std::size_t i = 0; i < names.names.size(); ++i)
    registers.define(first_counter + 8 * i, {names.names[i],
                                             [this, i] {
                                               settle(clock().now());
                                               CounterReader reader(i);
                                               stats_.for_each_stat(reader);
                                               return reader.value;
                                             },
                                             nullptr});
  for (ControlOut<SliceControlIf>& slice : slice_ports_)
    registers.define(
        first_slice + 8 * number(slice.index()),
        {"SLICE_REQUESTS[" + std::to_string(slice.index()) + "]",
         [&slice]() -> std::uint64_t { return slice.bound() ? slice->accesses(every_application) : 0; },
         nullptr});
}

}  // namespace strata
