#include "platforms/studies/interference/interference_run.h"

#include <algorithm>
#include <map>

#include "models/common/counts_if.h"
#include "platforms/studies/interference/llc_replay.h"

namespace strata::platforms {
namespace {

const ContentionCountsIf& tracker_of(const Platform& platform) {
  std::vector<const ContentionCountsIf*> found;
  for (const PlatformInstance& instance : platform.of_role(Role::observer))
    if (const auto* tracker = dynamic_cast<const ContentionCountsIf*>(instance.block))
      found.push_back(tracker);
  if (found.size() != 1)
    throw ConfigError("the platform has " + std::to_string(found.size()) +
                      " contention trackers; allowed: one for all slices");
  return *found.front();
}

/// The application of each kernel that the tracker distinguishes.
std::vector<int> applications_of(const ContentionCountsIf& tracker, const Platform& platform,
                                 const std::vector<ApplicationRun>& runs) {
  std::vector<int> owners;
  if (tracker.by_sm()) {
    for (std::size_t cluster = 0; cluster < platform.of_role(Role::sm).size(); ++cluster)
      for (std::size_t a = 0; a < runs.size(); ++a)
        owners.insert(owners.end(), static_cast<std::size_t>(runs[a].sms), static_cast<int>(a));
  } else {
    for (std::size_t a = 0; a < runs.size(); ++a) owners.push_back(static_cast<int>(a));
  }
  if (static_cast<int>(owners.size()) > tracker.kernels())
    throw ConfigError("the contention tracker has counters for " + std::to_string(tracker.kernels()) +
                      (tracker.by_sm() ? " SMs" : " applications") + ", but " +
                      std::to_string(owners.size()) +
                      " run; allowed: kernels >= " + std::to_string(owners.size()));
  return owners;
}

ContentionCounts counts_of(const ContentionCountsIf& counters, const std::vector<int>& owners,
                           std::size_t applications) {
  ContentionCounts counts;
  counts.misses.resize(applications);
  counts.demotions.assign(applications, std::vector<std::uint64_t>(applications));
  counts.evictions = counts.demotions;
  for (std::size_t v = 0; v < owners.size(); ++v) {
    const auto victim = static_cast<std::size_t>(owners[v]);
    counts.misses[victim] += counters.misses(static_cast<int>(v));
    for (std::size_t a = 0; a < owners.size(); ++a) {
      const auto aggressor = static_cast<std::size_t>(owners[a]);
      counts.demotions[victim][aggressor] += counters.demotions(static_cast<int>(v), static_cast<int>(a));
      counts.evictions[victim][aggressor] += counters.evictions(static_cast<int>(v), static_cast<int>(a));
    }
  }
  return counts;
}

bool is_queue(Cause cause) {
  constexpr Cause queues[] = {Cause::request_queue, Cause::queue,      Cause::full,
                              Cause::miss_queue,    Cause::reply_port, Cause::reply_queue};
  return std::find(std::begin(queues), std::end(queues), cause) != std::end(queues);
}

/// Mean core cycles of an access, and the part spent in queues.
void read_ledger(const LedgerTotals& ledger, const LedgerPlaces& places, double& latency, double& queues) {
  std::uint64_t count = 0, cycles = 0, waiting = 0;
  for (const LedgerTotals::Sums& sums : ledger.groups) {
    count += sums.count;
    cycles += sums.latency;
    for (const Place place : places.on_the_way())
      if (is_queue(places.cause(place))) waiting += sums.cycles[place];
  }
  const double accesses = static_cast<double>(std::max<std::uint64_t>(count, 1));
  latency = static_cast<double>(cycles) / accesses;
  queues = static_cast<double>(waiting) / accesses;
}

void replay(const std::vector<LlcRequest>& stream, const Platform& platform, Interference& result) {
  std::map<ApplicationSet, std::vector<std::uint64_t>> known;
  ApplicationSet active = 0;
  for (int a = 0; a < result.size(); ++a)
    if (result.accesses[static_cast<std::size_t>(a)] != 0) active |= only_application(a);
  const auto misses_of = [&](ApplicationSet who) -> const std::vector<std::uint64_t>& {
    who &= active;
    const auto found = known.find(who);
    return found != known.end() ? found->second
                                : known.emplace(who, replayed_misses(stream, platform, who)).first->second;
  };
  for (int v = 0; v < result.size(); ++v)
    result.shapley.push_back(shapley_values(result.size(), v, misses_of));
  result.replayed = misses_of(only_application(result.size()) - 1);
  result.replayed.resize(result.names.size());
}

}  // namespace

Interference interference_of(Platform& platform, const std::vector<ApplicationRun>& runs,
                             const InterferenceOptions& options, RunOutcome& outcome) {
  const ContentionCountsIf& tracker = tracker_of(platform);
  const std::vector<int> owners = applications_of(tracker, platform, runs);
  LlcStream stream(platform, options.limit);
  Interference result;
  result.platform = platform.title();
  result.victim = options.victim;
  bool ended = false;
  SessionOptions session_options = options.session;
  session_options.measured = [&](std::size_t application) {
    if (static_cast<int>(application) != options.victim) return;
    ended = true;
    stream.stop();
    result.counts = counts_of(tracker, owners, runs.size());
  };
  session_options.enough = [&ended] { return ended; };
  Session session(platform, runs, session_options);
  platform.finish_elaboration();
  outcome = session.run();
  if (!ended) return result;
  const std::vector<ApplicationFigures>& figures = session.applications();
  result.cycles = figures[static_cast<std::size_t>(options.victim)].cycles;
  result.accesses.resize(runs.size());
  for (const LlcRequest& request : stream.requests()) ++result.accesses.at(request.application);
  for (const ApplicationFigures& application : figures) {
    result.names.push_back(application.trace);
    result.latency.emplace_back();
    result.queues.emplace_back();
    read_ledger(application.ledger, platform.ledger_places(), result.latency.back(), result.queues.back());
  }
  result.tracker_bits = tracker.storage_bits();
  result.cut_short = stream.full();
  if (options.replay) replay(stream.requests(), platform, result);
  return result;
}

}  // namespace strata::platforms
