#pragma once

#include <string>
#include <vector>

#include "platforms/probe/probes.h"

namespace strata::platforms {

/// A share of the peak below which a figure is explained.
constexpr double low_share = 0.7;

/// What is known of why a figure is low: the place where most of the time went. Empty: it is not low.
std::string why_low(const ProbeFigure& figure);

std::string probe_text(const std::string& title, const std::vector<ProbeFigure>& figures);
std::string probe_json(const std::string& title, const std::vector<ProbeFigure>& figures);
/// Bars of the figures that have a peak, relative to it.
std::string probe_svg(const std::string& title, const std::vector<ProbeFigure>& figures);

}  // namespace strata::platforms
