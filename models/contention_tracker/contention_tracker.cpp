#include "models/contention_tracker/contention_tracker.h"

namespace strata {
namespace {

constexpr std::uint64_t identity = 0x1'47444354;  // version 1, "GDCT"
constexpr std::uint64_t first_counter = 0x1000;

std::string in_brackets(int number) {
  return "[" + std::to_string(number) + "]";
}

}  // namespace

ContentionTracker::ContentionTracker(sc_core::sc_module_name module_name,
                                     const ContentionTrackerParams& params, const BuildContext& context)
    : Block(module_name, context.clock),
      core_(params),
      registers(*this, "registers",
                {core_.own_stats().register_reads, core_.own_stats().register_writes,
                 core_.own_stats().register_errors}) {
  define_registers();
  define_counters();
}

void ContentionTracker::define_registers() {
  const ContentionTrackerParams& p = core_.params();
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  std::uint64_t at = 0;
  const auto next = [&](Register entry) {
    registers.define(at, std::move(entry));
    at += 8;
  };
  next({"IDENTITY", [] { return identity; }, nullptr});
  next({"OWNERS", [=, &p] { return number(p.owners); }, nullptr});
  next({"KERNELS", [=, &p] { return number(p.kernels); }, nullptr});
  next({"COUNTER_BITS", [=, &p] { return number(p.counter_bits); }, nullptr});
  next({"OWNER_STORAGE", [this] { return core_.owner_bits(); }, nullptr});
  next({"PLOB_STORAGE", [this] { return core_.plob_bits(); }, nullptr});
  next({"GDC_STORAGE", [this] { return core_.gdc_bits(); }, nullptr});
  next({"RESET", [] { return std::uint64_t{0}; },
        [this](std::uint64_t value) -> std::string {
          if (value != 1) return "allowed: 1, which sets all counters to zero";
          core_.reset_counters();
          return {};
        }});
}

// Misses of each kernel, then a matrix of demotions and one of evictions, a row for each victim.
void ContentionTracker::define_counters() {
  const ContentionCounters& counters = core_.counters();
  const int kernels = counters.kernels();
  std::uint64_t at = first_counter;
  const auto next = [&](std::string name, std::function<std::uint64_t()> read) {
    registers.define(at, {std::move(name), std::move(read), nullptr});
    at += 8;
  };
  for (int k = 0; k < kernels; ++k)
    next("MISSES" + in_brackets(k), [&counters, k] { return counters.misses(k); });
  for (int v = 0; v < kernels; ++v)
    for (int a = 0; a < kernels; ++a)
      next("DEMOTIONS" + in_brackets(v) + in_brackets(a),
           [&counters, v, a] { return counters.demotions(v, a); });
  for (int v = 0; v < kernels; ++v)
    for (int a = 0; a < kernels; ++a)
      next("EVICTIONS" + in_brackets(v) + in_brackets(a),
           [&counters, v, a] { return counters.evictions(v, a); });
}

}  // namespace strata
