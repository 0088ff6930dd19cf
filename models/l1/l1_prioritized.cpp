#include "models/l1/l1_prioritized.h"

namespace strata {
namespace {

using Signature = SignatureQueues::Signature;
using Drain = SignatureQueues::Drain;
using Bypass = L1PrioritizedParams::Bypass;

}  // namespace

void L1PrioritizedParams::for_each_param(ParamVisitor& v) {
  L1SectoredParams::for_each_param(v);
  v.integer({"queues", "queues", "in front of the cache; a signature modulo their number chooses one"},
            queues, {1, 64});
  v.integer({"queue_entries", "accesses", "that a queue holds; the SM waits while the one it needs is full"},
            queue_entries, {1, 256});
  v.choice({"signature", "", "what accesses of a queue have in common: their warp, or their CTA"}, signature,
           {{Signature::warp, "warp"}, {Signature::cta, "cta"}});
  v.choice({"drain", "",
            "queue that goes on when one is empty: the first that is not (lowest), or the longest one"},
           drain, {{Drain::lowest, "lowest"}, {Drain::longest, "longest"}});
  v.choice(
      {"bypass", "",
       "loads that go past the cache instead of waiting: none; those whose set is all reserved (set_full); "
       "those that lack a way, an MSHR or a place in one (stalls)"},
      bypass, {{Bypass::none, "none"}, {Bypass::set_full, "set_full"}, {Bypass::stalls, "stalls"}});
  v.flag({"queue_lanes", "",
          "Entries of queues are counted with a bit for each lane of the warp beside the number of its load; "
          "runs are the same"},
         queue_lanes);
}

void L1PrioritizedStats::for_each_stat(StatVisitor& v) const {
  L1SectoredStats::for_each_stat(v);
  v.counter({"stall_bypasses", "accesses", "bypasses of loads that the cache could not take"},
            stall_bypasses);
  v.counter({"queue_turns", "events", "times that another queue's turn came"}, queue_turns);
  v.law("bypasses >= stall_bypasses + ordering_bypasses");
}

StorageFields L1Prioritized::storage(const L1PrioritizedParams& params) {
  StorageFields fields = L1Sectored::storage(params);
  const std::uint64_t line = params.number_bits(params.line), warp = 6, load = 5, kind = 2,
                      sectors = params.line / sector_bytes, lanes = 32;
  const auto queues = static_cast<std::uint64_t>(params.queues),
             entries = static_cast<std::uint64_t>(params.queue_entries);
  fields.push_back({"queues: line, sectors, kind, warp and load", queues * entries,
                    line + sectors + kind + warp + load + (params.queue_lanes ? lanes : 0)});
  fields.push_back({"queues: first and number", queues, bits_for(entries) + bits_for(entries + 1)});
  return fields;
}

L1Decision L1Prioritized::lookup(Access& access, Cycle now, bool room) {
  const L1Decision decision = L1Sectored::lookup(access, now, room);
  if (decision.outcome != L1Outcome::stall || !room || access.prefetch ||
      access.access_class == AccessClass::store || access.access_class == AccessClass::atomic)
    return decision;
  if (params_.bypass == Bypass::none) return decision;
  if (params_.bypass == Bypass::set_full && decision.stall != L1Stall::set_full) return decision;
  ++stats_.stall_bypasses;
  return {L1Outcome::forward};
}

}  // namespace strata
