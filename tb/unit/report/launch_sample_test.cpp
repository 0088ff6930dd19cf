#include "platforms/report/launch_sample.h"

#include <cmath>

#include "models/common/faults.h"
#include "models/common/random_stream.h"
#include "tb/support/catch.h"

using namespace strata;
using namespace strata::platforms;

namespace {

constexpr const char columns[] = "kernel,name,application,ctas,began,ended,complete\n";

/// Launches of two kernels in turn, a and b, b every fourth.
std::vector<LaunchTime> two_kernels(std::size_t launches, double a, double b) {
  std::vector<LaunchTime> run;
  for (std::size_t i = 0; i < launches; ++i) run.push_back({i, i % 4 == 3 ? "b" : "a", i % 4 == 3 ? b : a});
  return run;
}

}  // namespace

TEST_CASE("times of launches go from end to end") {
  const auto launches =
      launch_times(std::string(columns) + "0,a,0,4,10,100,yes\n1,b,0,4,110,130,yes\n", "sample");
  REQUIRE(launches.size() == 2);
  CHECK(launches[0].cycles == 100);
  CHECK(launches[1].cycles == 30);  // the pause before it is its own
  CHECK(launches[1].kernel == "b");
  const auto fault = [](const std::string& lines) {
    try {
      launch_times(columns + lines, "sample");
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(fault("0,a,0,4,10,100,yes\n1,b,0,4,90,130,yes\n") == "sample: launches run side by side");
  CHECK(fault("0,a,0,4,10,100,no\n") == "sample: launch 0 has not ended");
  CHECK(fault("0,a,1,4,10,100,yes\n") == "sample: launches of several applications");
}

TEST_CASE("a sample spreads over the launches of each kernel") {
  // a at 0 1 2, 4 5 6, 8 9 10, b at 3, 7, 11. Of nine launches of a the middles of three stretches of three:
  // numbers 1, 4 and 7 of them. Of three of b all.
  const LaunchSample sample = sample_launches(two_kernels(12, 10, 100), 3);
  CHECK(sample.numbers == std::vector<std::uint64_t>{1, 3, 5, 7, 9, 11});
  REQUIRE(sample.kernels.size() == 2);
  CHECK(sample.kernels[0].launches == 9);
  CHECK(sample.kernels[0].cycles == 90);
  CHECK(sample.kernels[0].sampled == std::vector<std::size_t>{0, 2, 4});
  CHECK(sample.kernels[1].sampled == std::vector<std::size_t>{1, 3, 5});
  CHECK_FALSE(sample.all());
  CHECK(sample_launches(two_kernels(12, 10, 100), 9).all());
}

TEST_CASE("the gain of a sample weighs kernels by their time in the run") {
  const LaunchSample sample = sample_launches(two_kernels(12, 10, 100), 2);
  REQUIRE(sample.numbers == std::vector<std::uint64_t>{2, 3, 8, 11});  // a b a b
  // a takes half the time, b as long as before: 390 cycles become 345.
  const SampledGain even = sampled_gain(sample, {10, 100, 10, 100}, {5, 100, 5, 100});
  CHECK(even.faster == Approx(390.0 / 345 - 1));
  CHECK(even.half == 0);
  // a: 4 and 6 cycles for 10 and 10, r = 0.5, s^2 = 2, of 9 launches 2: 90^2 (7/9) 2 / (2 * 10^2) = 63. One
  // freedom: 12.7062 standard errors of sqrt(63) cycles, and 390 / 345^2 of each is gain.
  const SampledGain uneven = sampled_gain(sample, {10, 100, 10, 100}, {4, 100, 6, 100});
  CHECK(uneven.faster == Approx(390.0 / 345 - 1));
  CHECK(uneven.half == Approx(12.7062 * std::sqrt(63) * 390 / (345.0 * 345)).epsilon(1e-4));
  // Where every launch is taken there is nothing to guess.
  const LaunchSample all = sample_launches(two_kernels(4, 10, 100), 3);
  CHECK(sampled_gain(all, {10, 10, 10, 100}, {4, 5, 6, 100}).half == 0);
}

TEST_CASE("of 1000 samples, 92 to 98 % of the intervals hold the gain of the run") {
  RandomStream random(44);
  int held = 0;
  for (int i = 0; i < 1000; ++i) {
    std::vector<LaunchTime> run;
    std::vector<double> after;
    double sum = 0, sum_after = 0;
    for (std::size_t n = 0; n < 200; ++n) {
      const bool b = n % 4 == 3;
      const double cycles = (b ? 3000.0 : 1000.0) + 200.0 * random.next53() / 9007199254740992.0;
      run.push_back({n, b ? "b" : "a", cycles});
      after.push_back(cycles * (b ? 0.9 : 0.6) * (1 + 0.1 * random.next53() / 9007199254740992.0));
      sum += cycles;
      sum_after += after.back();
    }
    const LaunchSample sample = sample_launches(run, 8);
    std::vector<double> before, then;
    for (const std::uint64_t n : sample.numbers) {
      before.push_back(run[n].cycles);
      then.push_back(after[n]);
    }
    const SampledGain gain = sampled_gain(sample, before, then);
    held += std::fabs(gain.faster - (sum / sum_after - 1)) <= gain.half;
  }
  CHECK(held >= 920);
  CHECK(held <= 980);
}
