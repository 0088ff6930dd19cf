#pragma once

#include "models/common/stats.h"

namespace strata {

/// What an organization counts that changes its mind.
struct LlcPolicyStats final : StatSet {
  std::uint64_t epochs = 0;
  std::uint64_t profiles = 0;
  std::uint64_t rule1_choices = 0;
  std::uint64_t rule2_choices = 0;
  std::uint64_t shared_choices = 0;
  std::uint64_t failed_trials = 0;
  std::uint64_t pinned_kernels = 0;
  std::uint64_t degree_changes = 0;

  void for_each_stat(StatVisitor& visitor) const override;
};

/// What the control of an LLC counts of each application.
struct LlcApplicationStats final : StatSet {
  std::uint64_t private_cycles = 0;

  void for_each_stat(StatVisitor& visitor) const override;
};

/// What the control of an LLC reports.
struct LlcControlStats final : StatSet {
  std::uint64_t decisions = 0;
  std::uint64_t kernel_boundaries = 0;
  std::uint64_t flushes = 0;
  std::uint64_t slice_flushes = 0;
  std::uint64_t flush_cycles = 0;

  LlcPolicyStats policy;
  std::uint64_t predictor_bits = 0;

  std::uint64_t to_private = 0;
  std::uint64_t to_shared = 0;
  std::uint64_t to_shared_at_boundary = 0;
  std::uint64_t transition_cycles = 0;
  std::uint64_t drain_cycles = 0;
  std::uint64_t clean_cycles = 0;
  std::uint64_t gate_cycles = 0;
  std::uint64_t cycles = 0;
  std::uint64_t private_cycles = 0;
  std::uint64_t degree_cycles = 0;

  std::uint64_t register_reads = 0;
  std::uint64_t register_writes = 0;
  std::uint64_t register_errors = 0;

  // Lines by who touched them in a window of time.
  std::uint64_t lines = 0;
  std::uint64_t lines_2_clusters = 0;
  std::uint64_t lines_3_4_clusters = 0;
  std::uint64_t lines_5_8_clusters = 0;
  std::uint64_t lines_9_clusters = 0;
  std::uint64_t read_only_lines = 0;
  std::uint64_t read_only_lines_2_sms = 0;
  std::uint64_t read_only_lines_10_sms = 0;

  void for_each_stat(StatVisitor& visitor) const override;
};

}  // namespace strata
