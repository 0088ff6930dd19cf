#include "models/cache/prefetch_unit.h"

#include <iterator>

namespace strata {
namespace {

constexpr Address no_line = ~Address{0};

PrefetchRequest request_like(const Access& load, Address line, std::uint8_t sectors) {
  return {line,      sectors,  load.application, load.sm, load.cluster,
          load.warp, load.cta, load.kernel,      load.pc, load.local};
}

}  // namespace

void PrefetchRequest::identify(Access& access) const {
  access.sm = sm;
  access.cluster = cluster;
  access.warp = warp;
  access.application = application;
  access.cta = cta;
  access.kernel = kernel;
  access.pc = pc;
  access.local = local;
  access.non_coherent = access.bypass_l1 = false;
  access.prefetch = true;
  access.cause = &access;
}

PrefetchUnit::PrefetchUnit(const PrefetchParams& params, const PrefetchedCache& cache, PrefetchStats& stats)
    : cache_(cache),
      stats_(stats),
      prefetcher_(PrefetcherRow::table().at(params.prefetcher).make(params)),
      queue_places_(static_cast<std::uint32_t>(params.prefetch_queue)),
      most_under_way_(params.prefetch_mshrs),
      queue_(queue_places_) {
  displaced_.fill(no_line);
}

std::unique_ptr<PrefetchUnit> PrefetchUnit::make(const PrefetchParams& params, const PrefetchedCache& cache,
                                                 PrefetchStats& stats) {
  return params.prefetches() ? std::make_unique<PrefetchUnit>(params, cache, stats) : nullptr;
}

PrefetchUnit::Lines::iterator PrefetchUnit::end(Lines::iterator line, std::uint64_t& counter) {
  const auto prefetches = static_cast<std::uint64_t>(line->second.prefetches);
  counter += prefetches;
  unused_count_ -= prefetches;
  return unused_.erase(line);
}

// A prefetched line that has left is useless, whatever brings it back.
void PrefetchUnit::expect(Address line) {
  const auto found = unused_.find(line);
  if (found != unused_.end() && is_gone(*found)) end(found, stats_.useless);
}

bool PrefetchUnit::is_first_use(Address line, std::uint8_t sectors, PrefetchOutcome outcome) {
  const auto found = unused_.find(line);
  if (found == unused_.end()) return false;
  const unsigned here = found->second.arrived & sectors, coming = found->second.sectors & sectors & ~here;
  const bool late = coming != 0 && outcome != PrefetchOutcome::hit;
  if (here == 0 && !late) return false;
  end(found, late ? stats_.late : stats_.useful);
  return true;
}

void PrefetchUnit::observe(const Access& access, Address line, std::uint8_t sectors, PrefetchOutcome outcome,
                           bool trains) {
  if (is_first_use(line, sectors, outcome)) {
    outcome = PrefetchOutcome::first_use;
  } else if (Address& left = displaced_at(line); outcome == PrefetchOutcome::miss && left == line) {
    ++stats_.polluting;
    left = no_line;
  }
  if (!trains) return;
  prefetcher_->observe({cache_.number_of(line), access.pc, access.sm, access.warp, outcome});
  const PrefetchRequest like = request_like(access, line, sectors);
  for (std::uint64_t number = 0; prefetcher_->next(number);) propose(number, like);
}

void PrefetchUnit::propose(std::uint64_t number, const PrefetchRequest& load) {
  ++stats_.candidates;
  PrefetchRequest request = load;
  if (!cache_.line_of(number, load.line, request.line) || is_queued(request.line) ||
      cache_.has_or_fetches(request.line, request.sectors)) {
    ++stats_.dropped_there;
  } else if (queue_.size() == queue_places_) {
    ++stats_.dropped_full;
  } else {
    queue_.push(request);
  }
}

bool PrefetchUnit::is_queued(Address line) const {
  for (std::uint32_t i = 0; i < queue_.size(); ++i)
    if (queue_.at(i).line == line) return true;
  return false;
}

void PrefetchUnit::drop() {
  ++stats_.dropped_there;
  queue_.pop();
}

void PrefetchUnit::joined() {
  drop();
  ++under_way_;
}

void PrefetchUnit::issued(std::uint8_t sectors) {
  const Address line = queue_.front().line;
  queue_.pop();
  expect(line);
  ++stats_.issued;
  ++under_way_;
  if (unused_.size() >= settle_at_) {
    settle();
    settle_at_ = 1024 + 2 * unused_.size();
  }
  if (displaced_at(line) == line) displaced_at(line) = no_line;  // it comes back
  Line& unused = unused_[line];
  unused.sectors |= sectors;
  ++unused.prefetches;
  ++unused_count_;
}

void PrefetchUnit::arrived(Address line, std::uint8_t sectors) {
  --under_way_;
  if (const auto found = unused_.find(line); found != unused_.end())
    found->second.arrived |= static_cast<std::uint8_t>(sectors & found->second.sectors);
}

void PrefetchUnit::displaced(Address line, Address by) {
  if (unused_.count(by) != 0) displaced_at(line) = line;
}

void PrefetchUnit::flush() {
  stats_.dropped_full += queue_.size();
  while (!queue_.empty()) queue_.pop();
  displaced_.fill(no_line);
  settle();
}

void PrefetchUnit::settle() {
  for (auto line = unused_.begin(); line != unused_.end();)
    line = is_gone(*line) ? end(line, stats_.useless) : std::next(line);
}

void PrefetchUnit::reset() {
  stats_.reset();
  stats_.candidates = queue_.size();
  unused_.clear();
  unused_count_ = 0;
}

std::string PrefetchUnit::imbalance() const {
  const PrefetchStats& s = stats_;
  if (s.issued != s.useful + s.late + s.useless + unused_count_)
    return std::to_string(s.issued) + " prefetches are not " + std::to_string(s.useful) + " useful, " +
           std::to_string(s.late) + " late and " + std::to_string(s.useless) + " useless ones and " +
           std::to_string(unused_count_) + " unused";
  if (s.candidates != s.issued + s.dropped_there + s.dropped_full + queue_.size())
    return std::to_string(s.candidates) + " candidates of the prefetcher are not " +
           std::to_string(s.issued) + " prefetches, " + std::to_string(s.dropped_there + s.dropped_full) +
           " dropped ones and " + std::to_string(queue_.size()) + " in the queue";
  return {};
}

}  // namespace strata
