#include "platforms/report/kernel_figures.h"

#include <algorithm>

namespace strata::platforms {

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

void KernelRecorder::record(std::size_t kernel, Cycle now, bool complete) {
  auto [tables, ledger] = counts(now);
  if (tables_.empty()) tables_ = difference(tables, tables);
  KernelFigures figures;
  figures.name = source_.kernels()[kernel].name;
  figures.application = application_;
  figures.kernel = kernel;
  figures.complete = complete;
  figures.began = began_;
  figures.cycles = now - began_;
  figures.ledger = difference(ledger, ledger_);
  const std::vector<InstanceStats> own = difference(tables, tables_);
  fill(figures, own);
  Sum& sum = sums_[figures.name];
  if (sum.launches++ == 0) {
    sum.first = launches_.size();
    sum.tables = own;
  } else {
    add(sum.tables, own);
  }
  sum.cycles += figures.cycles;
  sum.ledger += figures.ledger;
  launches_.push_back(std::move(figures));
  began_ = now;
  next_ = kernel + 1;
  tables_ = std::move(tables);
  ledger_ = ledger;
}

void KernelRecorder::fill(KernelFigures& figures, const std::vector<InstanceStats>& tables) const {
  if (application_ != all_applications) {
    ApplicationFigures own;
    own.cycles = figures.cycles;
    own.kernels_done = figures.complete ? figures.launches : figures.launches - 1;
    own.tables = tables;
    own.ledger = figures.ledger;
    figures.summary = summarize(own);
    return;
  }
  figures.summary = simulated_figures(tables, figures.ledger, figures.cycles);
  figures.verdict =
      judge({platform_.netlist(), tables, figures.ledger, platform_.ledger_places(), figures.cycles});
}

std::vector<KernelFigures> KernelRecorder::names() const {
  std::vector<KernelFigures> all;
  for (const auto& [name, sum] : sums_) {
    KernelFigures figures;
    figures.name = name;
    figures.application = application_;
    figures.kernel = sum.first;
    figures.launches = sum.launches;
    figures.began = launches_[sum.first].began;
    figures.cycles = sum.cycles;
    figures.ledger = sum.ledger;
    figures.complete = std::all_of(launches_.begin(), launches_.end(), [&name = name](const auto& one) {
      return one.name != name || one.complete;
    });
    fill(figures, sum.tables);
    all.push_back(std::move(figures));
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.kernel < b.kernel; });
  return all;
}

}  // namespace strata::platforms
