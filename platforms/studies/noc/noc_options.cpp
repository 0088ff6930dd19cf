#include "platforms/studies/noc/noc_options.h"

#include <cmath>
#include <cstdlib>

#include "models/common/faults.h"
#include "models/common/text.h"

namespace strata::platforms {
namespace {

constexpr int longest_packet = 80;  // a header of 64 bytes and 8 sectors of 32 bytes in flits of 4 bytes
constexpr int most_ports = 256;     // of a router stage
constexpr int most_ends = 4096;     // sources or destinations of a network
constexpr int widest_header = 9;    // up to here flits of 32 bytes do: a header of 8 bytes and 8 sectors
constexpr std::size_t most_loads = 1000;

std::vector<int> whole_numbers(const std::string& text, std::size_t count) {
  std::vector<int> numbers;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    std::size_t end = text.find('x', begin);
    if (end == std::string::npos) end = text.size();
    const std::string part = text.substr(begin, end - begin);
    if (part.empty() || part.size() > 4 || part.find_first_not_of("0123456789") != std::string::npos)
      return {};
    numbers.push_back(std::atoi(part.c_str()));
    begin = end + 1;
  }
  for (const int number : numbers)
    if (number < 1) return {};
  if (numbers.size() != count) return {};
  return numbers;
}

bool read_number(const std::string& text, double& value) {
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && std::isfinite(value);
}

double read_load(const std::string& text) {
  double value = 0;
  if (!read_number(text, value))
    throw ConfigError("--load: '" + text + "' is no number; allowed: 0.2, 0.1,0.2,0.4 or FIRST:LAST:STEP");
  if (value <= 0 || value > 1)
    throw ConfigError("--load: " + text + " is outside (0, 1]: a source sends one flit a cycle at most");
  return value;
}

}  // namespace

void read_topology(const std::string& text, NocOptions& options) {
  const std::string kind = text.substr(0, text.find(':'));
  const std::string sizes = kind.size() == text.size() ? "" : text.substr(kind.size() + 1);
  if (kind == "xbar" && kind.size() == text.size()) {
    options.topology = NocOptions::Topology::xbar;
  } else if (kind == "fly") {
    const std::vector<int> numbers = whole_numbers(sizes, 2);
    double ends = 1;
    if (!numbers.empty()) ends = std::pow(numbers[0], numbers[1]);
    if (numbers.empty() || numbers[0] < 2 || ends > most_ends)
      throw ConfigError("--topology: '" + text +
                        "': write fly:KxN for N stages of KxK routers, as in fly:8x2; K^N is at most " +
                        std::to_string(most_ends));
    options.topology = NocOptions::Topology::fly;
    options.arity = numbers[0];
    options.stages = numbers[1];
    options.inputs = options.outputs = static_cast<int>(ends);
  } else if (kind == "hxbar") {
    const std::vector<int> numbers = whole_numbers(sizes, 3);
    if (numbers.empty() || numbers[0] * numbers[1] > most_ends || numbers[0] * numbers[2] > most_ends)
      throw ConfigError(
          "--topology: '" + text +
          "': write hxbar:CxAxM for C clusters of A sources and M controllers of C slices, as in "
          "hxbar:8x10x8");
    options.topology = NocOptions::Topology::hxbar;
    options.clusters = numbers[0];
    options.inputs = numbers[0] * numbers[1];
    options.outputs = numbers[0] * numbers[2];
  } else {
    throw ConfigError("--topology: '" + text + "' is unknown" + suggestion(kind, {"xbar", "fly", "hxbar"}) +
                      "; allowed: xbar, fly:KxN, hxbar:CxAxM");
  }
}

void read_traffic(const std::string& text, NocOptions& options) {
  const std::string kind = text.substr(0, text.find(':'));
  if (kind == "hotspot") {
    if (kind.size() == text.size() || !read_number(text.substr(8), options.hotspot) || options.hotspot <= 0 ||
        options.hotspot > 1)
      throw ConfigError("--traffic: '" + text + "': write hotspot:F with F in (0, 1], as in hotspot:0.2");
    options.traffic = NocOptions::Traffic::hotspot;
  } else if (text == "uniform") {
    options.traffic = NocOptions::Traffic::uniform;
  } else if (text == "permutation") {
    options.traffic = NocOptions::Traffic::permutation;
  } else if (text == "all-to-one") {
    options.traffic = NocOptions::Traffic::all_to_one;
  } else if (text == "private-llc") {
    options.traffic = NocOptions::Traffic::private_llc;
  } else {
    throw ConfigError("--traffic: '" + text + "' is unknown" +
                      suggestion(kind, {"uniform", "permutation", "hotspot", "all-to-one", "private-llc"}) +
                      "; allowed: uniform, permutation, hotspot:F, all-to-one, private-llc");
  }
}

std::vector<double> read_loads(const std::string& text) {
  std::vector<double> loads;
  const std::vector<std::string> range = split(text, ':');
  if (range.size() == 3) {
    const double first = read_load(range[0]);
    const double last = read_load(range[1]);
    const double step = read_load(range[2]);
    if (last < first || (last - first) / step >= static_cast<double>(most_loads))
      throw ConfigError("--load: '" + text + "' is no range: FIRST:LAST:STEP with FIRST <= LAST, at most " +
                        std::to_string(most_loads) + " steps");
    // Half a step of tolerance: 0.05:1.0:0.05 ends with 1.0 whatever the rounding.
    for (std::size_t n = 0; first + static_cast<double>(n) * step < last + step / 2; ++n)
      loads.push_back(std::min(first + static_cast<double>(n) * step, last));
  } else if (range.size() == 1) {
    for (const std::string& part : split(text, ',')) loads.push_back(read_load(part));
  } else {
    throw ConfigError("--load: '" + text + "'; allowed: 0.2, 0.1,0.2,0.4 or FIRST:LAST:STEP");
  }
  return loads;
}

int sectors_in(const NocOptions& options) {
  if (options.packet_flits <= widest_header) return options.packet_flits - 1;
  return std::min(8, (4 * options.packet_flits - 4) / 32);
}

RouterStageParams router_of(const NocOptions& options, int inputs, int outputs, int divide) {
  RouterStageParams params = options.router;
  params.inputs = inputs;
  params.outputs = outputs;
  params.divide = divide;
  const bool wide = options.packet_flits <= widest_header;
  params.channel_bytes = wide ? 32 : 4;
  params.header_bytes = wide ? 8 : 4 * options.packet_flits - 32 * sectors_in(options);
  return params;
}

void check(const NocOptions& options) {
  Faults faults;
  const auto range = [&](const char* option, int value, int least, int most, const std::string& what) {
    if (value < least || value > most)
      faults.push_back({{},
                        std::string(option) + ": " + std::to_string(value) + " " + what +
                            "; allowed: " + std::to_string(least) + " to " + std::to_string(most)});
  };
  if (options.topology == NocOptions::Topology::xbar) {
    range("--inputs", options.inputs, 1, most_ports, "sources");
    range("--outputs", options.outputs, 1, most_ports, "destinations");
  } else if (options.topology == NocOptions::Topology::fly) {
    range("--topology", options.arity, 2, most_ports, "ports on each side of a router");
  } else {
    range("--topology", options.clusters, 1, most_ports, "clusters");
    range("--topology", options.inputs / options.clusters, 1, most_ports, "sources of a cluster");
    range("--topology", options.outputs / options.clusters, 1, most_ports, "controllers");
  }
  range("--vcs", options.router.vcs, 1, 16, "virtual channels of a port");
  range("--buffer", options.router.vc_flits, 1, 4096,
        "flits of a virtual channel, which must hold one at least");
  range("--packet-flits", options.packet_flits, 1, longest_packet, "flits of a packet");
  range("--pipeline", options.router.pipeline, 1, 16, "router stages");
  range("--speedup", options.router.speedup, 1, 4, "as internal speed-up");
  range("--input-speedup", options.router.input_speedup, 1, 256, "read ports of an input");
  range("--iterations", options.router.islip_iterations, 1, 8, "iterations");
  range("--link", options.router.link_latency, 0, 255, "cycles of a link");
  if (options.cycles < 1) faults.push_back({{}, "--cycles: 0; allowed: 1 or more"});
  if (!faults.empty()) throw ConfigError(faults);
  faults = router_of(options, std::min(options.inputs, most_ports), std::min(options.outputs, most_ports), 1)
               .validate();
  if (!faults.empty()) throw ConfigError(faults);
}

}  // namespace strata::platforms
