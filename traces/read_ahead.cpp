#include "traces/read_ahead.h"

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

namespace strata::traces {
namespace {

using Place = std::pair<std::uint32_t, std::uint64_t>;  // kernel, CTA

struct Fetched {
  std::shared_ptr<const CtaTrace> trace;
  std::exception_ptr fault;  // in place of the trace
};

std::size_t bytes_of(const Fetched& fetched) {
  if (fetched.trace == nullptr) return 0;
  const CtaTrace& cta = *fetched.trace;
  return cta.instructions.size() * sizeof(WarpInstruction) + cta.addresses.size() * sizeof(Address);
}

/// Chooses the next CTA: the one after each run of consecutive fetched CTAs. Several kernels may be in
/// progress.
class Forecast {
 public:
  explicit Forecast(const std::vector<KernelInfo>& kernels) : kernels_(kernels) {}

  /// The CTA after the run with the fewest CTAs fetched ahead; if all kernels in progress are fetched, the
  /// first of the next kernel. None at the end of the last kernel.
  std::optional<Place> next() const {
    if (open_.empty()) {
      if (complete_.empty() || last_ + 1 == kernels_.size()) return std::nullopt;
      return Place{last_ + 1, 0};
    }
    const Run* best = nullptr;
    std::uint32_t of_kernel = 0;
    for (const auto& [kernel, runs] : open_)
      for (const auto& [first, run] : runs)
        if (run.end < kernels_[kernel].ctas() && (best == nullptr || run.waiting < best->waiting)) {
          best = &run;
          of_kernel = kernel;
        }
    if (best == nullptr) return std::nullopt;
    return Place{of_kernel, best->end};
  }
  void fetched(const Place& place) {
    last_ = std::max(last_, place.first);
    Runs& runs = open_[place.first];
    auto run = runs.upper_bound(place.second);
    if (run == runs.begin() || std::prev(run)->second.end != place.second)
      run = runs.emplace_hint(run, place.second, Run{place.second, 0});
    else
      --run;
    ++run->second.end;
    ++run->second.waiting;
    const auto behind = std::next(run);
    if (behind != runs.end() && behind->first == run->second.end) {
      run->second.end = behind->second.end;
      run->second.waiting += behind->second.waiting;
      runs.erase(behind);
    }
    if (runs.begin()->first != 0 || runs.begin()->second.end != kernels_[place.first].ctas()) return;
    open_.erase(place.first);
    complete_.insert(place.first);
  }
  void taken(const Place& place) {
    const auto runs = open_.find(place.first);
    if (runs == open_.end()) return;
    const auto behind = runs->second.upper_bound(place.second);
    if (behind != runs->second.begin()) --std::prev(behind)->second.waiting;
  }
  /// False if a CTA that was handed out before is fetched again: everything restarts.
  bool is_new(const Place& place) const {
    if (complete_.count(place.first) != 0) return false;
    const auto runs = open_.find(place.first);
    if (runs == open_.end()) return true;
    const auto behind = runs->second.upper_bound(place.second);
    return behind == runs->second.begin() || place.second >= std::prev(behind)->second.end;
  }
  void restart() {
    open_.clear();
    complete_.clear();
    last_ = 0;
  }

 private:
  struct Run {
    std::uint64_t end, waiting;
  };
  using Runs = std::map<std::uint64_t, Run>;  // of a kernel, by their first CTA
  const std::vector<KernelInfo>& kernels_;
  std::map<std::uint32_t, Runs> open_;  // kernels of which some CTAs have been fetched
  std::set<std::uint32_t> complete_;
  std::uint32_t last_ = 0;  // the last kernel that was begun
};

class ReadAhead final : public InstructionSource {
 public:
  ReadAhead(InstructionSource& source, const ReadAheadLimits& limits)
      : source_(source), limits_(limits), forecast_(source.kernels()) {
    // The simulating thread handles signals.
    sigset_t all, before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      if (!source.kernels().empty()) wanted_ = Place{0, 0};  // before the first fetch
      worker_ = std::thread([this] { work(); });
    } catch (const std::system_error&) {  // no thread available
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  ~ReadAhead() override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ends_ = true;
    }
    to_worker_.notify_one();
    if (worker_.joinable()) worker_.join();
  }

  const std::vector<KernelInfo>& kernels() const override { return source_.kernels(); }
  const std::vector<MemcpyInfo>& copies() const override { return source_.copies(); }
  std::string description() const override { return source_.description(); }
  std::uint64_t warp_instructions() const override { return source_.warp_instructions(); }
  std::shared_ptr<const CtaTrace> fetch(std::uint32_t kernel, std::uint64_t cta) override;
  std::vector<SourceGap> gaps() const override {
    std::unique_lock<std::mutex> lock(mutex_);
    to_taker_.wait(lock, [this] { return !fetching_; });
    return source_.gaps();
  }

 private:
  void work();
  std::optional<Place> next_job() const;
  Fetched try_fetch(const Place& place);

  InstructionSource& source_;
  const ReadAheadLimits limits_;
  std::thread worker_;
  mutable std::mutex mutex_;
  mutable std::condition_variable to_worker_, to_taker_;
  // Under the lock:
  std::map<Place, Fetched> ready_;
  std::size_t bytes_ = 0;
  std::optional<Place> wanted_;  // the CTA that fetch() waits for
  Forecast forecast_;
  bool fetching_ = false;  // the worker is fetching
  bool broken_ = false;    // after a fault nothing is read ahead
  bool ends_ = false;
};

std::shared_ptr<const CtaTrace> ReadAhead::fetch(std::uint32_t kernel, std::uint64_t cta) {
  if (!worker_.joinable()) return source_.fetch(kernel, cta);
  const Place place{kernel, cta};
  std::unique_lock<std::mutex> lock(mutex_);
  if (ready_.count(place) == 0) {
    wanted_ = place;
    to_worker_.notify_one();
    to_taker_.wait(lock, [&] { return ready_.count(place) != 0; });
  }
  const auto found = ready_.find(place);
  const Fetched fetched = std::move(found->second);
  ready_.erase(found);
  bytes_ -= bytes_of(fetched);
  forecast_.taken(place);
  lock.unlock();
  to_worker_.notify_one();
  if (fetched.fault != nullptr) std::rethrow_exception(fetched.fault);
  return fetched.trace;
}

std::optional<Place> ReadAhead::next_job() const {
  if (wanted_) return wanted_;
  if (broken_ || ready_.size() >= limits_.ctas || bytes_ >= limits_.bytes) return std::nullopt;
  return forecast_.next();
}

Fetched ReadAhead::try_fetch(const Place& place) {
  try {
    return {source_.fetch(place.first, place.second), nullptr};
  } catch (...) {  // thrown by the fetch of the CTA
    return {nullptr, std::current_exception()};
  }
}

void ReadAhead::work() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    std::optional<Place> job;
    to_worker_.wait(lock, [&] {
      job = next_job();
      return ends_ || job.has_value();
    });
    if (ends_) return;
    if (!forecast_.is_new(*job)) {
      forecast_.restart();
      ready_.clear();
      bytes_ = 0;
    }
    fetching_ = true;
    lock.unlock();
    Fetched fetched = try_fetch(*job);
    lock.lock();
    fetching_ = false;
    broken_ = broken_ || fetched.fault != nullptr;
    bytes_ += bytes_of(fetched);
    forecast_.fetched(*job);
    ready_[*job] = std::move(fetched);
    if (wanted_ == job) wanted_.reset();
    to_taker_.notify_all();
  }
}

}  // namespace

std::unique_ptr<InstructionSource> read_ahead(InstructionSource& source, const ReadAheadLimits& limits) {
  return std::make_unique<ReadAhead>(source, limits);
}

}  // namespace strata::traces
