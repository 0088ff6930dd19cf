#include "models/traffic/traffic_core.h"

#include <algorithm>
#include <functional>
#include <random>

namespace strata {
namespace {

constexpr double random_values = 0x1p53;  // of RandomStream::unit(): what a double holds exactly

std::uint64_t threshold(double chance) {
  return static_cast<std::uint64_t>(chance * random_values);
}

std::uint64_t draw(RandomStream& stream) {
  return stream.next() >> 11;
}

/// Independent of the order in which generators are made, the same on every machine.
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
    : load_at_(threshold(params.loads)),
      read_only_at_(threshold(params.read_only)),
      hot_at_(threshold(params.hot_share)),
      pattern_(params.pattern),
      lines_(params.footprint.count / params.line.count),
      hot_lines_(static_cast<std::uint64_t>(params.hot_lines)),
      stride_lines_(params.stride.count / params.line.count),
      line_bytes_(params.line.count),
      most_open_(params.outstanding),
      total_(params.load > 0 ? params.accesses : 0),
      first_port_(first_port),
      all_ports_(all_ports) {
  // Products only: every machine rounds them alike, which holds for no logarithm.
  double longer = 1;
  for (std::uint64_t& value : longer_) value = threshold(longer *= 1 - params.load);
  const std::vector<std::uint32_t> words = seeds(params, run_seed, name);
  ports_.resize(static_cast<std::size_t>(params.ports));
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    Port& port = ports_[p];
    port.arrivals = RandomStream(std::uint64_t{words[4 * p]} << 32 | words[4 * p + 1]);
    port.choices = RandomStream(std::uint64_t{words[4 * p + 2]} << 32 | words[4 * p + 3]);
    port.left = total_;
    port.answers.reserve(static_cast<std::size_t>(most_open_));
    if (total_ == 0) continue;
    port.next = gap(port.arrivals);
    ++running_;
  }
}

// Cycles from one access to the next, at least 1: geometric.
Cycle TrafficCore::gap(RandomStream& stream) const {
  for (Cycle before = 0;; before += gap_table) {
    const std::uint64_t value = draw(stream);
    // The gap is longer than i + 1 cycles when `value` lies below longer_[i].
    const auto end = std::lower_bound(longer_.begin(), longer_.end(), value, std::greater<>());
    const auto cycles = static_cast<std::size_t>(end - longer_.begin());
    if (cycles < gap_table) return before + cycles + 1;
  }
}

Address TrafficCore::line(Port& port, int index) {
  std::uint64_t number = 0;
  if (pattern_ == TrafficPattern::stride) {
    const auto start = static_cast<std::uint64_t>(static_cast<unsigned __int128>(lines_) *
                                                  static_cast<unsigned>(first_port_ + index) /
                                                  static_cast<unsigned>(all_ports_));
    number = (start + port.walked++ * stride_lines_) % lines_;
  } else {
    const bool hot = pattern_ == TrafficPattern::hot && draw(port.choices) < hot_at_;
    number = port.choices.below(hot ? hot_lines_ : lines_);
  }
  return number * line_bytes_;
}

Cycle TrafficCore::due(int index) const {
  const Port& port = ports_[static_cast<std::size_t>(index)];
  const Cycle answer = port.answers.empty() ? never : port.next_answer() + 1;
  if (port.left == 0) return answer;
  return port.open < most_open_ ? port.next : answer == never ? never : std::max(answer, port.next);
}

void TrafficCore::take_answers(int index, Cycle now) {
  Port& port = ports_[static_cast<std::size_t>(index)];
  while (port.next_answer() < now) {
    std::pop_heap(port.answers.begin(), port.answers.end(), std::greater<>());
    const Cycle at = port.answers.back() >> 1;
    ++((port.answers.back() & 1) != 0 ? stats_.answered_at_once : stats_.round_trips);
    port.answers.pop_back();
    --stats_.in_flight;
    if (--port.open != 0 || port.left != 0) continue;
    --running_;
    end_ = std::max(end_, at);
    stats_.port_cycles += at - std::min(at, counted_from_);
  }
}

TrafficAccess TrafficCore::send(int index, Cycle now) {
  Port& port = ports_[static_cast<std::size_t>(index)];
  AccessClass access_class = AccessClass::store;
  if (draw(port.choices) < load_at_)
    access_class = draw(port.choices) < read_only_at_ ? AccessClass::read_only_load : AccessClass::load;
  const TrafficAccess access{access_class, line(port, index)};
  ++(access_class == AccessClass::store  ? stats_.stores
     : access_class == AccessClass::load ? stats_.loads
                                         : stats_.read_only_loads);
  ++stats_.sent;
  ++stats_.in_flight;
  stats_.backlog_cycles += now - port.next;
  ++port.open;
  port.next = --port.left == 0 ? never : port.next + gap(port.arrivals);
  return access;
}

void TrafficCore::answer(int index, Cycle at, std::uint64_t latency, bool at_once) {
  std::vector<std::uint64_t>& answers = ports_[static_cast<std::size_t>(index)].answers;
  answers.push_back(at << 1 | (at_once ? 1U : 0U));
  std::push_heap(answers.begin(), answers.end(), std::greater<>());
  stats_.latency.add(latency);
}

std::uint64_t TrafficCore::backlog(const Port& port, Cycle now) const {
  RandomStream ahead = port.arrivals;
  std::uint64_t count = 0;
  int left = port.left;
  for (Cycle next = port.next; left != 0 && next <= now; next += gap(ahead)) {
    ++count;
    --left;
  }
  return count;
}

void TrafficCore::settle(Cycle now) {
  stats_.backlog = 0;
  for (int p = 0; p < ports(); ++p) {
    take_answers(p, now);
    const Port& port = ports_[static_cast<std::size_t>(p)];
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

}  // namespace strata
