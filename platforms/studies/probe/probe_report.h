#pragma once

#include <string>
#include <vector>

#include "platforms/studies/probe/probes.h"

namespace strata::platforms {

/// Share of the peak below which a figure gets an explanation.
constexpr double low_share = 0.7;

/// The known reason for a low figure: the place with most of the time. Empty: it is not low.
std::string why_low(const ProbeFigure& figure);

std::string probe_text(const std::string& title, const std::vector<ProbeFigure>& figures);
std::string probe_json(const std::string& title, const std::vector<ProbeFigure>& figures);
/// Bars of the figures with a peak, relative to it.
std::string probe_svg(const std::string& title, const std::vector<ProbeFigure>& figures);

}  // namespace strata::platforms
