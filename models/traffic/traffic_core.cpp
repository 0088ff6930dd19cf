#include "models/traffic/traffic_core.h"

#include <random>

namespace strata {
namespace {

/// The same on every machine, and independent of the order in which generators are made.
std::vector<std::uint32_t> seeds(const TrafficParams& params, std::uint64_t run_seed, std::string_view name) {
  std::vector<std::uint32_t> words(name.begin(), name.end());
  words.push_back(static_cast<std::uint32_t>(run_seed));
  words.push_back(static_cast<std::uint32_t>(run_seed >> 32));
  words.push_back(static_cast<std::uint32_t>(params.seed));
  std::seed_seq sequence(words.begin(), words.end());
  std::vector<std::uint32_t> values(static_cast<std::size_t>(params.ports) * 4);
  sequence.generate(values.begin(), values.end());
  return values;
}

}  // namespace

TrafficCore::TrafficCore(const TrafficParams& params, std::uint64_t run_seed, std::string_view name,
                         int first_port, int all_ports)
    : gaps_(params.load),
      mix_(params),
      most_open_(params.outstanding),
      total_(params.load > 0 ? params.accesses : 0),
      ports_(static_cast<std::size_t>(params.ports)) {
  const std::vector<std::uint32_t> words = seeds(params, run_seed, name);
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    Port& port = ports_[p];
    port.arrivals = RandomStream(std::uint64_t{words[4 * p]} << 32 | words[4 * p + 1]);
    port.choices = RandomStream(std::uint64_t{words[4 * p + 2]} << 32 | words[4 * p + 3]);
    port.left = total_;
    port.walk = mix_.start(first_port + static_cast<int>(p), all_ports);
    if (total_ == 0) continue;
    port.next = gaps_.draw(port.arrivals);
    ++running_;
  }
}

// All answers of a port were taken in.
void TrafficCore::finish(Cycle last_reply) {
  --running_;
  end_ = std::max(end_, last_reply);
  stats_.port_cycles += last_reply - std::min(last_reply, counted_from_);
}

std::uint64_t TrafficCore::backlog(const Port& port, Cycle now) const {
  RandomStream ahead = port.arrivals;
  std::uint64_t count = 0;
  int left = port.left;
  for (Cycle next = port.next; left != 0 && next <= now; next += gaps_.draw(ahead)) {
    ++count;
    --left;
  }
  return count;
}

void TrafficCore::settle(Cycle now) {
  stats_.backlog = stats_.in_flight = 0;
  for (int p = 0; p < ports(); ++p) {
    take_replies(p, now);
    const Port& port = at(p);
    stats_.in_flight += static_cast<unsigned>(port.open);
    stats_.backlog += backlog(port, now);
    if ((port.left != 0 || port.open != 0) && now > counted_from_) stats_.port_cycles += now - counted_from_;
  }
  counted_from_ = std::max(counted_from_, now);
  stats_.offered = stats_.sent + stats_.backlog;
}

void TrafficCore::reset_stats(Cycle now) {
  settle(now);
  stats_.restart();
}

Cycle TrafficCore::next_access() const {
  Cycle next = never;
  for (const Port& port : ports_)
    if (port.left != 0 && port.open < most_open_) next = std::min(next, port.next);
  return next == never ? 0 : next;
}

}  // namespace strata
