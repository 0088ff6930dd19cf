#pragma once

#include <string>
#include <vector>

#include "platforms/report/stat_table.h"
#include "platforms/session/progress_line.h"

namespace strata::platforms {

/// What a running simulation does, on a terminal: how far it has come, and of the time since the last drawing
/// IPC, what limits it, where loads spend their cycles, what is used up, and who waits for whom now. It only
/// reads, but for settling what blocks count by time, as each epoch does. Redrawn in place, so that a process
/// that is killed leaves the terminal as any other does; erased at its end.
class LiveView {
 public:
  /// On the terminal of a file descriptor. The platform must live longer.
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
