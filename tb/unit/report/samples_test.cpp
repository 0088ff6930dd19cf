#include <cmath>
#include <vector>

#include "models/common/faults.h"
#include "models/common/random_stream.h"
#include "platforms/report/launch_sample.h"
#include "platforms/report/resource_loads.h"
#include "platforms/report/sample_statistics.h"
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

TEST_CASE("a mean has Student's interval") {
  // Deviation 1; 97.5 % of Student's distribution with 2 degrees of freedom lie below 4.3027, / sqrt(3).
  const Sample sample = sample_of({1, 2, 3});
  CHECK(sample.mean == Approx(2));
  CHECK(*sample.half == Approx(2.4841).epsilon(1e-4));
  CHECK_FALSE(sample_of({7}).half);
  CHECK(*sample_of({7, 7}).half == 0);
}

TEST_CASE("a difference has Welch's interval") {
  // Variances of the means 1/3 and 1/3, 4 degrees of freedom: 2.7764 * sqrt(2/3).
  const Difference large = difference(sample_of({1, 2, 3}), sample_of({5, 6, 7}));
  CHECK(large.value == Approx(4));
  CHECK(*large.half == Approx(2.2670).epsilon(1e-4));
  CHECK_FALSE(large.within_noise());
  CHECK(difference(sample_of({1, 2, 3}), sample_of({2, 3, 4})).within_noise());
  // A single run: 4.3027 * sqrt(1 + 1/3).
  const Difference single = difference(sample_of({1, 2, 3}), sample_of({4}));
  CHECK(*single.half == Approx(4.9683).epsilon(1e-4));
  CHECK(single.within_noise());
  CHECK_FALSE(difference(sample_of({1}), sample_of({4})).half);
  // Where chance changes nothing, the smallest difference is one.
  CHECK_FALSE(difference(sample_of({5, 5}), sample_of({6, 6})).within_noise());
  CHECK(difference(sample_of({5, 5}), sample_of({5, 5})).within_noise());
}

TEST_CASE("imbalance is the busiest over the mean, and Gini") {
  CHECK(imbalance_of({3, 3, 3}).gini == Approx(0).margin(1e-12));
  CHECK(imbalance_of({3, 3, 3}).over_mean() == Approx(1));
  // One has all: 4 times the mean; 2 * (4 * 4) / (4 * 4) - 5 / 4.
  const Imbalance one = imbalance_of({0, 4, 0, 0});
  CHECK(one.over_mean() == Approx(4));
  CHECK(one.gini == Approx(0.75));
  CHECK(one.busiest == 1);
  CHECK(imbalance_of({}).over_mean() == 1);
}

namespace {

// Cycles of a machine with four SMs and a random stream, launch_jitter = 20, seeds 1 to 40; the same with
// eight MSHRs in each slice.
const std::vector<double> jittered = {2211, 2246, 2196, 2275, 2201, 2213, 2220, 2195, 2242, 2201,
                                      2226, 2266, 2226, 2199, 2187, 2241, 2187, 2146, 2216, 2162,
                                      2213, 2195, 2200, 2201, 2199, 2202, 2216, 2197, 2154, 2261,
                                      2192, 2219, 2158, 2165, 2266, 2210, 2173, 2223, 2187, 2164};
const std::vector<double> slower = {2505, 2483, 2545, 2542, 2529, 2503, 2492, 2482, 2443, 2505,
                                    2520, 2495, 2560, 2543, 2516, 2523, 2511, 2499, 2514, 2449,
                                    2549, 2513, 2454, 2587, 2499, 2422, 2545, 2445, 2549, 2487,
                                    2545, 2505, 2489, 2520, 2512, 2519, 2540, 2541, 2476, 2528};

Sample drawn(const std::vector<double>& from, std::size_t size, RandomStream& random) {
  std::vector<double> values;
  for (std::size_t i = 0; i < size; ++i) values.push_back(from[random.below(from.size())]);
  return sample_of(values);
}

}  // namespace

TEST_CASE("of 1000 resampled cases, 92 to 98 % of the intervals hold the truth") {
  const double mean = sample_of(jittered).mean, change = sample_of(slower).mean - mean;
  for (const std::size_t size : {3, 5, 10}) {
    RandomStream random(20261122 + size);
    int means = 0, changes = 0, noise = 0, single = 0;
    for (int i = 0; i < 1000; ++i) {
      const Sample one = drawn(jittered, size, random), other = drawn(slower, size, random);
      const Sample again = drawn(jittered, size, random), run = drawn(jittered, 1, random);
      const Difference found = difference(one, other);
      means += std::abs(one.mean - mean) <= *one.half;
      changes += std::abs(found.value - change) <= *found.half;
      noise += difference(one, again).within_noise();
      single += difference(one, run).within_noise();
    }
    INFO(size << " runs: " << means << " " << changes << " " << noise << " " << single);
    for (const int held : {means, changes, noise, single}) {
      CHECK(held >= 920);
      CHECK(held <= 980);
    }
  }
}

TEST_CASE("runs of equal seeds are pairs") {
  // Differences 1, 1 and 4: mean 2, deviation sqrt(3), 4.3027 * sqrt(3) / sqrt(3). The runs differ by
  // hundreds among themselves: as two samples that do not belong together they would say nothing.
  const Sample one = sample_of({100, 300, 500}, {"1", "2", "3"}),
               other = sample_of({504, 101, 301}, {"3", "1", "2"});
  const Difference pairs = difference(one, other);
  CHECK(pairs.paired);
  CHECK(pairs.value == Approx(2));
  CHECK(*pairs.half == Approx(4.3027).epsilon(1e-4));
  const Difference apart = difference(one, sample_of({504, 101, 301}));
  CHECK_FALSE(apart.paired);
  CHECK(*apart.half > 400);
  // Other seeds, a seed twice, a seed that one of them lacks: no pairs.
  CHECK_FALSE(are_pairs(one, sample_of({1, 2, 3}, {"1", "2", "4"})));
  CHECK_FALSE(are_pairs(one, sample_of({1, 2, 3}, {"1", "2", "2"})));
  CHECK_FALSE(are_pairs(one, sample_of({1, 2}, {"1", "2"})));
  CHECK_FALSE(are_pairs(sample_of({1}, {"1"}), sample_of({2}, {"1"})));
  CHECK(are_pairs(one, sample_of({1, 2, 3}, {"2", "3", "1"})));
}

TEST_CASE("of 1000 resampled pairs, 92 to 98 % of the intervals hold the truth") {
  const std::vector<std::string> seeds = {"1", "2", "3", "4", "5", "6"};
  RandomStream random(44);
  double truth = 0;
  std::vector<double> changes;
  for (std::size_t i = 0; i < jittered.size(); ++i) changes.push_back(slower[i] - jittered[i]);
  truth = sample_of(changes).mean;
  int held = 0;
  for (int i = 0; i < 1000; ++i) {
    std::vector<double> from, to;
    for (std::size_t n = 0; n < seeds.size(); ++n) {
      const std::size_t at = random.below(jittered.size());
      from.push_back(jittered[at]);
      to.push_back(slower[at]);
    }
    const Difference found = difference(sample_of(from, seeds), sample_of(to, seeds));
    held += std::abs(found.value - truth) <= *found.half;
  }
  CHECK(held >= 920);
  CHECK(held <= 980);
}
