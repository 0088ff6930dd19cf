#pragma once

#include "models/common/llc_choices_if.h"
#include "models/common/params.h"

namespace strata {

struct OrganizationKind;

/// The control of an LLC.
struct LlcControlParams final : ParamSet, LlcChoicesParams {
  enum class Organization : int {};  // place in the table of organizations
  enum class Rule : int { paper, windowed };
  enum class Model : int { paper, copies };

  Organization organization{};
  std::string organizations;
  int slices = 64;
  int routers = 1;
  int gates = 0;
  int clusters = 8;
  int degree = 1;
  int epoch = 0;
  int profile = 50'000;  // ISCA 2019, section 4.1
  Rule rule = Rule::paper;
  int trial = 10'000;  // memory at 643 B per cycle fills the 6 MiB of ISCA 2019 in 9 784
  double margin = 2;   // ISCA 2019, section 4.4: within 2 %
  Model model = Model::paper;
  int window = 1000;
  int atd_sets = 8;             // ISCA 2019, section 4.4
  int rdd_sets = 2;             // SelRep, section III-D
  int counter_bits = 16;        // both papers
  double slice_bandwidth = 32;  // a 32 B channel
  // 900 GB/s at 1400 MHz. The papers call it an architectural constant.
  double memory_bandwidth = 643;
  // GDDR5 of ISCA 2019, row conflict: tRP + tRCD + tCL + 1 = 37 clocks of 924 MHz, in cycles of 1400 MHz
  int memory_latency = 56;
  int gating = 20;  // ISCA 2019, section 4.2: a couple of tens of cycles
  int sharing_window = 0;

  /// The organization of this name; throws ConfigError when there is none.
  static Organization named(std::string_view name);
  /// The row of `organization`.
  const OrganizationKind& kind() const;
  /// The rows of `organizations`, without unknown names.
  std::vector<const OrganizationKind*> listed() const;
  /// The kinds of all applications.
  std::vector<const OrganizationKind*> kinds() const;
  /// The parameters of one application among `count`: with its organization.
  LlcControlParams of_application(int application, int count) const;
  /// True for any application.
  bool changes_mode() const;
  bool replicates() const override;
  StorageFields predictors(const AddressMap& map, std::uint64_t slice_sets, int slice_ways) const override;
  /// Cycles of an epoch: what is set, or the paper's.
  int epoch_cycles() const;
  void for_each_param(ParamVisitor& visitor) override;
  Faults validate() const override;
};

}  // namespace strata
