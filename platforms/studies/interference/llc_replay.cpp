#include "platforms/studies/interference/llc_replay.h"

#include <deque>

#include "models/llc_slice/llc_slice_core.h"

namespace strata::platforms {

std::vector<std::uint64_t> replayed_misses(const std::vector<LlcRequest>& stream, const Platform& platform,
                                           ApplicationSet who) {
  std::deque<LlcSliceCore> slices;
  for (const ResolvedGroup& group : platform.netlist().groups)
    for (const ResolvedMember& member : group.members)
      if (const auto* params = dynamic_cast<const LlcSliceParams*>(member.params.get()))
        slices.emplace_back(*params, platform.address_map());
  for (const LlcRequest& request : stream) {
    if (!belongs(request.application, who)) continue;
    LlcSliceCore& slice = slices.at(request.slice);
    Access access;
    access.line = request.line;
    access.application = request.application;
    access.sectors = request.sectors;
    access.access_class = request.access_class;
    const LlcDecision decision = slice.begin(access, 0);
    if (decision.outcome == LlcOutcome::miss_new) slice.fill(decision.mshr, decision.sectors);
    while (slice.writes_queued() != 0) slice.write_departed();
  }
  std::vector<std::uint64_t> misses(max_applications);
  for (const LlcSliceCore& slice : slices)
    for (int a = 0; a < max_applications; ++a) misses[static_cast<std::size_t>(a)] += slice.counts(a).misses;
  return misses;
}

LlcStream::LlcStream(const Platform& platform, std::uint64_t limit) : limit_(limit) {
  for (const PlatformInstance& instance : platform.of_role(Role::llc))
    if (auto* slice = dynamic_cast<WatchedAccesses*>(instance.block))
      slice->watch_accesses(&watches_.emplace_back(*this, watches_.size()));
  if (watches_.empty())
    throw ConfigError("the platform has no slice of an LLC: nothing is shared that could be looked at");
}

void LlcStream::Watch::seen(const Access& access, Cycle) {
  if (stream.stopped_ || stream.full()) return;
  stream.requests_.push_back({access.line, slice, access.application, access.sectors, access.access_class});
}

}  // namespace strata::platforms
