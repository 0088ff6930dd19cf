#include "platforms/studies/interference/llc_stream.h"

namespace strata::platforms {

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
