#pragma once

#include <string>
#include <vector>

#include "platforms/studies/interference/interference_run.h"

namespace strata::platforms {

/// Reproduction of the GPU demotion counters paper: its study of one workload, and the distances between two
/// breakdowns over random workloads; in addition the breakdowns' errors against Shapley values, which the
/// paper does not have, and the same comparison for LLC organizations.
struct GdcStudy {
  Interference vma;                   ///< VMA, DADD, AGG1, AGG2
  std::vector<Interference> by_ctas;  ///< the same, by CTA count of the aggressors
  std::vector<int> ctas;
  std::vector<Interference> random;    ///< 32 workloads of four kernels
  std::vector<Interference> isolated;  ///< two programs, by organization of the LLC
  std::vector<std::string> organizations;
};

struct GdcStudyOptions {
  std::string out;      ///< folder for the runs
  std::string docs;     ///< folder for the page gdc.md and its drawings; empty: `out`
  std::string program;  ///< program to start for each run
  std::string command;  ///< shown on the page
  int jobs = 1;
  bool quick = false, resume = false, list = false;
};

/// Simulates the missing runs, writes the page, and returns the text for the console.
std::string reproduce_gdc(const GdcStudyOptions& options);

/// The page; its drawings are files of the folder `gdc/`.
std::string gdc_page(const GdcStudy& study, const GdcStudyOptions& options);
/// Distances of the random workloads, as bars.
std::string gdc_distances_svg(const GdcStudy& study);

}  // namespace strata::platforms
