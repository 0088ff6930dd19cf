#pragma once

#include <string>
#include <vector>

#include "platforms/engine/session/progress_line.h"
#include "platforms/report/stat_table.h"

namespace strata::platforms {

/// The state of a running simulation on a terminal: its progress and, since the last drawing, IPC, the limit,
/// the cycles of loads by place, the use of resources, and the current waits between blocks. It only reads,
/// except that blocks settle what they count by time, as at each epoch. It redraws in place and leaves the
/// terminal's modes alone, so a killed process leaves a normal terminal; its destructor erases it.
class LiveView {
 public:
  /// Draws on the terminal of a file descriptor. The platform must outlive it.
  LiveView(const Platform& platform, std::string title, int terminal);
  ~LiveView() { erase(); }
  LiveView(const LiveView&) = delete;
  LiveView& operator=(const LiveView&) = delete;

  void draw(const ProgressLine::State& state, double seconds);
  void erase();

 private:
  using Lines = std::vector<std::string>;
  struct Look {
    std::vector<InstanceStats> tables;
    LedgerTotals ledger;
    ProgressLine::State state;
    double seconds = 0;
  };
  Look look(const ProgressLine::State& state, double seconds) const;
  Lines lines(const Look& now, std::size_t rows, std::size_t columns) const;
  void add_progress(Lines& lines, const Look& now, std::size_t columns) const;
  void add_ledger(Lines& lines, const LedgerTotals& ledger, std::size_t most, std::size_t columns) const;
  void add_waits(Lines& lines, std::size_t rows, std::size_t columns) const;

  const Platform& platform_;
  std::string title_;
  int terminal_;
  Look before_;
  std::size_t drawn_ = 0;  // lines
};

}  // namespace strata::platforms
