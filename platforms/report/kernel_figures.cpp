#include "platforms/report/kernel_figures.h"

#include <algorithm>
#include <utility>

namespace strata::platforms {
namespace {

/// `2 x a + b`: in the order of their first launches.
std::string names_of(const std::vector<KernelPart>& parts) {
  std::vector<std::pair<std::string, int>> names;
  for (const KernelPart& part : parts) {
    const auto known =
        std::find_if(names.begin(), names.end(), [&](const auto& name) { return name.first == part.name; });
    if (known == names.end())
      names.emplace_back(part.name, 1);
    else
      ++known->second;
  }
  std::string text;
  for (const auto& [name, count] : names)
    text += (text.empty() ? "" : " + ") + (count > 1 ? std::to_string(count) + " x " : "") + name;
  return text;
}

}  // namespace

KernelRecorder::Counts KernelRecorder::counts(Cycle now) const {
  if (application_ != all_applications) {
    ApplicationFigures figures;
    figures.first_sm = first_sm_;
    figures.sms = sms_;
    measure(platform_, application_, now, figures);
    return {std::move(figures.tables), figures.ledger};
  }
  for (const PlatformInstance& instance : platform_.instances())
    instance.block->settle(instance.block->clock().now());
  return {read_stats(platform_), read_ledger(platform_)};
}

void KernelRecorder::kernel_ended(std::size_t kernel, bool alone, Cycle now) {
  if (recorded_ == source_.kernels().size()) return;  // the program runs again
  ended_beside_.push_back(kernel);
  if (alone) record(std::move(ended_beside_), now, true);
}

void KernelRecorder::end(Cycle now) {
  ended_ = now;
  if (recorded_ == source_.kernels().size() && now == began_) add_rest(now);
  if (recorded_ == source_.kernels().size() || now <= began_) return;
  std::vector<std::size_t> kernels = std::move(ended_beside_);
  for (const KernelSpan& span : spans())
    if (span.ended == never) kernels.push_back(span.kernel);
  if (kernels.empty()) kernels.push_back(recorded_);
  record(std::move(kernels), now, false);
}

void KernelRecorder::add_rest(Cycle now) {
  if (application_ != all_applications || launches_.empty()) return;
  auto [tables, ledger] = counts(now);
  const std::vector<InstanceStats> own = difference(tables, tables_);
  KernelFigures& last = launches_.back();
  Sum& sum = sums_[last.name];
  add(last_, own);
  add(sum.tables, own);
  const LedgerTotals more = difference(ledger, ledger_);
  last.ledger += more;
  sum.ledger += more;
  last.counts.sectors += new_sectors();
  fill(last, last_, last.launches);
  tables_ = std::move(tables);
  ledger_ = ledger;
}

/// FillUnits since the last call.
LaunchSectors KernelRecorder::new_sectors() {
  if (sectors_ == nullptr) return {};
  const LaunchSectors now = sectors_->counts(application_);
  LaunchSectors own = now;
  own -= std::exchange(sectors_before_, now);
  return own;
}

void KernelRecorder::set_tail(const std::string& tail) {
  if (launches_.size() != 1) return;
  tail_ = tail;
  if (launches_.front().verdict) launches_.front().verdict->tail = tail;
}

std::vector<KernelSpan> KernelRecorder::spans() const {
  for (const PlatformInstance& instance : platform_.instances())
    if (const auto* driver = dynamic_cast<const RunDriver*>(instance.block))
      if (auto spans = driver->kernel_spans(std::max(application_, 0)); !spans.empty()) return spans;
  return {};
}

KernelPart KernelRecorder::part_of(std::size_t kernel, const std::vector<KernelSpan>& spans,
                                   Cycle now) const {
  KernelPart part;
  part.name = source_.kernels()[kernel].name;
  part.kernel = kernel;
  part.stream = source_.kernels()[kernel].stream;
  const auto span = std::find_if(spans.rbegin(), spans.rend(),
                                 [kernel](const KernelSpan& one) { return one.kernel == kernel; });
  if (span == spans.rend()) return part;
  part.complete = span->ended != never;
  part.began = span->began;
  part.ended = part.complete ? span->ended : now;
  part.ctas = span->ctas;
  part.warp_instructions = span->warp_instructions;
  return part;
}

void KernelRecorder::record(std::vector<std::size_t> kernels, Cycle now, bool complete) {
  auto [tables, ledger] = counts(now);
  if (tables_.empty()) tables_ = difference(tables, tables);
  std::sort(kernels.begin(), kernels.end());
  KernelFigures figures;
  if (kernels.size() > 1) {
    const std::vector<KernelSpan> all = spans();
    for (const std::size_t kernel : kernels) figures.parts.push_back(part_of(kernel, all, now));
  }
  figures.name = figures.parts.empty() ? source_.kernels()[kernels.front()].name : names_of(figures.parts);
  figures.application = application_;
  figures.kernel = kernels.front();
  figures.launches = kernels.size();
  figures.complete = complete;
  figures.began = began_;
  figures.cycles = now - began_;
  figures.ledger = difference(ledger, ledger_);
  const std::vector<InstanceStats> own = difference(tables, tables_);
  const double spared = spared_ ? spared_() : 0;
  figures.spared = spared - std::exchange(spared_before_, spared);
  const std::uint64_t done =
      complete
          ? figures.launches
          : static_cast<std::uint64_t>(std::count_if(figures.parts.begin(), figures.parts.end(),
                                                     [](const KernelPart& part) { return part.complete; }));
  figures.counts.sectors = new_sectors();
  fill(figures, own, done);
  Sum& sum = sums_[figures.name];
  if (sum.launches == 0) {
    sum.first = launches_.size();
    sum.tables = own;
  } else {
    add(sum.tables, own);
  }
  sum.launches += figures.launches;
  sum.done += done;
  sum.cycles += figures.cycles;
  sum.spared += figures.spared;
  sum.ledger += figures.ledger;
  launches_.push_back(std::move(figures));
  began_ = now;
  recorded_ += kernels.size();
  ended_beside_.clear();
  tables_ = std::move(tables);
  ledger_ = ledger;
  last_ = own;
}

void KernelRecorder::fill(KernelFigures& figures, const std::vector<InstanceStats>& tables,
                          std::uint64_t done) const {
  const LaunchSectors sectors = figures.counts.sectors;
  figures.counts = launch_counts(tables);
  figures.counts.sectors = sectors;
  if (application_ != all_applications) {
    ApplicationFigures own;
    own.cycles = figures.cycles;
    own.kernels_done = done;
    own.tables = tables;
    own.ledger = figures.ledger;
    figures.summary = summarize(own);
    return;
  }
  figures.summary = simulated_figures(tables, figures.ledger, figures.cycles);
  figures.verdict = judge({platform_.netlist(), tables, figures.ledger, platform_.ledger_places(),
                           figures.cycles, figures.spared});
  figures.verdict->tail = tail_;
}

std::vector<KernelFigures> KernelRecorder::names() const {
  std::vector<KernelFigures> all;
  for (const auto& [name, sum] : sums_) {
    KernelFigures figures;
    figures.name = name;
    figures.application = application_;
    figures.kernel = launches_[sum.first].kernel;
    figures.launches = sum.launches;
    figures.began = launches_[sum.first].began;
    figures.cycles = sum.cycles;
    figures.spared = sum.spared;
    figures.ledger = sum.ledger;
    figures.complete = std::all_of(launches_.begin(), launches_.end(), [&name = name](const auto& one) {
      return one.name != name || one.complete;
    });
    fill(figures, sum.tables, sum.done);
    all.push_back(std::move(figures));
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.kernel < b.kernel; });
  return all;
}

std::vector<StreamFigures> KernelRecorder::streams() const {
  const std::vector<KernelInfo>& kernels = source_.kernels();
  if (std::all_of(kernels.begin(), kernels.end(),
                  [&](const KernelInfo& one) { return one.stream == kernels.front().stream; }))
    return {};
  std::map<std::uint64_t, StreamFigures> streams;
  std::vector<bool> seen(kernels.size());
  for (const KernelSpan& span : spans()) {
    if (seen[span.kernel]) break;  // the program runs again
    seen[span.kernel] = true;
    const std::uint64_t number = kernels[span.kernel].stream;
    StreamFigures& stream = streams[number];
    const Cycle ended = span.ended != never ? span.ended : std::max(ended_, span.began);
    if (stream.launches++ == 0) stream.began = span.began;
    stream.stream = number;
    stream.application = application_;
    stream.ctas += span.ctas;
    stream.warp_instructions += span.warp_instructions;
    stream.ended = ended;
    stream.busy += ended - span.began;
  }
  std::vector<StreamFigures> all;
  for (const auto& [number, stream] : streams) all.push_back(stream);
  return all;
}

}  // namespace strata::platforms
