#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace strata::platforms {

/// One launch of a run: a line of kernels.csv.
struct LaunchTime {
  std::uint64_t number = 0;
  std::string kernel;
  double cycles = 0;  ///< from the end of the previous launch to its own end; the first: from cycle 0
};

/// From the text of kernels.csv. Throws ConfigError with `what` if a launch has not ended, several
/// applications ran, or launches ran side by side: their times cannot be separated.
std::vector<LaunchTime> launch_times(const std::string& kernels_csv, const std::string& what);

/// A sample of the launches of each kernel of a run, evenly spread over its launches.
struct LaunchSample {
  struct Kernel {
    std::string name;
    std::size_t launches = 0;          ///< in the run
    double cycles = 0;                 ///< of all of them
    std::vector<std::size_t> sampled;  ///< indices in `numbers`
  };
  std::vector<Kernel> kernels;         ///< in the order of their first launches
  std::vector<std::uint64_t> numbers;  ///< numbers of the sampled launches, ascending
  std::size_t launches = 0;            ///< of the run

  bool all() const { return numbers.size() == launches; }
};

/// Takes at most `most` launches of each kernel. An interval needs at least two.
LaunchSample sample_launches(const std::vector<LaunchTime>& run, std::size_t most);

/// The speed-up of a run, estimated from a sample of its launches.
struct SampledGain {
  double faster = 0;  ///< 0.1: 10 % more work in the same time
  double half = 0;    ///< half of the 95 % interval; 0 if the sample is the whole run
};

/// `before`, `after`: cycles of the launches of `sample.numbers` on two machines. A combined ratio estimator:
/// the C_k cycles of kernel k in the run become C_k r_k, with r_k the cycles after over those before in its
/// sample (W. G. Cochran, Sampling Techniques, 3rd ed. 1977, sections 6.3 and 6.10). The variance of r_k is
/// (1 - n/N) s^2 / (n b^2), with n of N launches, b the mean of the cycles before and s^2 the variance of
/// after - r_k before; freedoms are Satterthwaite's.
SampledGain sampled_gain(const LaunchSample& sample, const std::vector<double>& before,
                         const std::vector<double>& after);

}  // namespace strata::platforms
