#include "models/traffic/traffic_params.h"

namespace strata {

void TrafficParams::for_each_param(ParamVisitor& v) {
  v.choice(
      {"place", "", "What it stands for: sm = sockets `l1` to L1s, l1 = sockets `noc` to a router stage"},
      place, {{TrafficPlace::sm, "sm"}, {TrafficPlace::l1, "l1"}});
  v.integer({"ports", "ports", "Ports, each with one socket and traffic of its own"}, ports, {1, 256});
  v.real({"load", "accesses per cycle and port",
          "Offered load: chance that a cycle brings a port an access; 0 = no traffic at all"},
         load, 0.0, 1.0);
  v.integer(
      {"accesses", "accesses", "Accesses of each port; when all are answered, the generator has finished"},
      accesses, {1, 1 << 30});
  v.integer(
      {"outstanding", "accesses", "Most accesses of a port without an answer; more wait in its backlog"},
      outstanding, {1, 65535});
  v.real({"loads", "", "Share of loads; the rest are stores of whole lines"}, loads, 0.0, 1.0);
  v.real({"read_only", "", "Share of the loads that are marked read-only"}, read_only, 0.0, 1.0);
  v.choice({"pattern", "",
            "Lines: uniform = any of the footprint; hot = some of them often; stride = each port in steps"},
           pattern,
           {{TrafficPattern::uniform, "uniform"},
            {TrafficPattern::hot, "hot"},
            {TrafficPattern::stride, "stride"}});
  v.bytes({"footprint", "bytes", "Addresses lie below this, shared by all ports"}, footprint,
          {128, std::int64_t{1} << 40});
  v.integer({"hot_lines", "lines", "Lines that `hot` prefers, at the start of the footprint"}, hot_lines,
            {1, 1 << 30});
  v.real({"hot_share", "", "Share of accesses that `hot` sends there; the rest is uniform"}, hot_share, 0.0,
         1.0);
  v.bytes({"stride", "bytes", "Step of `stride`; ports start at equal distances"}, stride,
          {32, std::int64_t{1} << 40});
  v.bytes({"line", "bytes", "Size of an access: one whole line"}, line, {32, 256, true});
  v.integer({"seed", "", "Of this generator; mixed with the seed of the run, the instance and the port"},
            seed, {0, std::numeric_limits<std::int32_t>::max()});
  v.flag({"check", "",
          "Stores write bytes of the port's own, loads of any sectors must return them; needs run.data: "
          "carried"},
         check);
  v.real(
      {"atomics", "", "With `check`: share of accesses that are additions to 4 lines behind the footprint"},
      atomics, 0.0, 1.0);
  v.real({"local", "",
          "With `check`: share of the lines, chosen by their address, that ports access as local memory"},
         local, 0.0, 1.0);
  v.flag(
      {"overlap", "",
       "With `check`: a port accesses lines of which it has an access in flight; false for networks in which "
       "one passes the other"},
      overlap);
}

Faults TrafficParams::validate() const {
  Faults faults;
  if (footprint.count % line.count != 0)
    faults.push_back(param_fault("footprint", "footprint = " + to_text(footprint) +
                                                  " is not a whole number of lines of " + to_text(line)));
  if (pattern == TrafficPattern::hot && static_cast<std::uint64_t>(hot_lines) > footprint.count / line.count)
    faults.push_back(param_fault("hot_lines", "hot_lines = " + std::to_string(hot_lines) +
                                                  " exceeds the lines of the footprint, " +
                                                  std::to_string(footprint.count / line.count)));
  if (pattern == TrafficPattern::stride && stride.count % line.count != 0)
    faults.push_back(param_fault(
        "stride", "stride = " + to_text(stride) + " is not a whole number of lines of " + to_text(line)));
  if (check && footprint.count > 64 * MiB)
    faults.push_back(param_fault(
        "footprint", "footprint = " + to_text(footprint) + " is more than the 64 MiB that `check` keeps"));
  if (check && !overlap && footprint.count / line.count <= static_cast<std::uint64_t>(outstanding))
    faults.push_back(
        param_fault("outstanding", "outstanding = " + std::to_string(outstanding) +
                                       " leaves no line of the footprint free, as overlap: false "
                                       "asks for"));
  if (!check && atomics > 0)
    faults.push_back(param_fault("atomics", "atomics are sent with check: true only"));
  if (!check && local > 0)
    faults.push_back(param_fault("local", "local memory is accessed with check: true only"));
  return faults;
}

}  // namespace strata
