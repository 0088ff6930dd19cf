#include "platforms/report/line_use_observer.h"

#include "models/l1/watched_l1.h"

namespace strata::platforms {
namespace {

std::vector<SummaryRow> figures_of(const LineUse& use) {
  return {observed("l1_left_lines", "lines",
                   "lines that L1s fetched and that were evicted, or present at the end", use.lines),
          observed("l1_used_bytes", "bytes", "of these lines that any access requested, in sectors of 32 B",
                   32 * use.used_sectors),
          observed("l1_reused_bytes", "bytes", "of these lines that an access after the first one requested",
                   32 * use.reused_sectors),
          observed("l1_reused_0", "lines", "of these lines: no sector was used again", use.reused_lines[0]),
          observed("l1_reused_1", "lines", "one sector was used again", use.reused_lines[1]),
          observed("l1_reused_2", "lines", "two sectors were used again", use.reused_lines[2]),
          observed("l1_reused_3", "lines", "three sectors were used again", use.reused_lines[3]),
          observed("l1_reused_4", "lines", "four sectors were used again", use.reused_lines[4])};
}

}  // namespace

void LineUse::missed(Address line, std::uint8_t sectors) {
  const auto [at, fresh] = lines_.try_emplace(line);
  if (!fresh) count(at->second);
  at->second = {sectors, 0};
}

void LineUse::seen(Address line, std::uint8_t sectors) {
  const auto at = lines_.find(line);
  if (at == lines_.end()) return;
  at->second.used |= sectors;
  at->second.reused |= sectors;
}

void LineUse::count(const Line& line) {
  const auto reused = static_cast<unsigned>(__builtin_popcount(line.reused));
  ++lines;
  used_sectors += static_cast<unsigned>(__builtin_popcount(line.used));
  reused_sectors += reused;
  ++reused_lines[reused];
}

void LineUse::finish() {
  for (const auto& [address, line] : lines_) count(line);
  lines_.clear();
}

LineUseObserver::LineUseObserver(const Platform& platform) {
  for (const PlatformInstance& instance : platform.instances()) {
    auto* const l1 = dynamic_cast<WatchedL1*>(instance.block);
    if (l1 != nullptr) l1->watch_accesses(&watches_.emplace_back());
  }
}

std::vector<SummaryRow> LineUseObserver::figures() {
  LineUse all;
  for (Watch& watch : watches_) {
    watch.use.finish();
    all.lines += watch.use.lines;
    all.used_sectors += watch.use.used_sectors;
    all.reused_sectors += watch.use.reused_sectors;
    for (std::size_t sectors = 0; sectors < std::size(all.reused_lines); ++sectors)
      all.reused_lines[sectors] += watch.use.reused_lines[sectors];
  }
  return figures_of(all);
}

std::vector<SummaryRow> describe_line_use() {
  return figures_of(LineUse());
}

}  // namespace strata::platforms
