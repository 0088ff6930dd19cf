#pragma once

#include <string>
#include <vector>

#include "platforms/engine/netlist/resolved_netlist.h"
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

/// Lines for a pointer chase that finds DRAM rows in the wanted state.
struct ProbePlaces {
  std::vector<Address> same_row;  ///< in one row of one bank: open from the second access on
  std::vector<Address> banks;     ///< each in another bank, which is closed before
};

/// Empty if no memory controller declares where lines lie.
ProbePlaces probe_places(const ResolvedNetlist& netlist);

}  // namespace strata::platforms
