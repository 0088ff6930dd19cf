#pragma once

#include <string>

#include "models/common/dram_rows_if.h"
#include "models/common/params.h"
#include "models/dram_channel/timing_set.h"

namespace strata {

/// Which bits of a line's index within its channel choose what, from the most to the least significant.
enum class Interleave : int {
  row_bank_column_group,  ///< neighbouring lines rotate over the bank groups, each in its open row
  row_bank_group_column,  ///< neighbouring lines share a row until it ends
  row_column_bank_group,  ///< neighbouring lines rotate over all banks
};

/// In what order waiting requests are served: places in DramSchedulerRow::table(), those of plug-ins behind.
enum class DramOrder : int {
  fr_fcfs,      ///< row hits first, then the oldest
  fcfs,         ///< the oldest of each bank
  fr_fcfs_cap,  ///< row hits first, but at most `row_hit_cap` in a row pass an older request
};

/// When a row is closed that nothing waits for: places in RowPolicyRow::table(), those of plug-ins behind.
enum class PagePolicy : int {
  open,      ///< a row stays open until another row of its bank is wanted
  closed,    ///< a row is closed when nothing waits for it
  timeout,   ///< a row is closed when nothing has wanted it for `idle_close` cycles
  adaptive,  ///< timeout, with a time of each bank that its mistakes lengthen and shorten
};

enum class RefreshPolicy : int {
  none,
  all_bank,  ///< all banks at once, every nREFI
  per_bank,  ///< one bank at a time, every nREFI / banks
};

/// What a user may set on a memory controller.
struct MemoryControllerParams final : ParamSet, UsesTimingSet, DramRowsParams {
  int slices = 8;
  int controllers_per_channel = 1;
  int read_queue = 32;
  int write_queue = 32;
  int shared_queue = 0;
  double drain_high = 0.8;
  double drain_low = 0.2;
  DramOrder scheduler = DramOrder::fr_fcfs;
  int row_hit_cap = 4;  // Mutlu and Moscibroda, MICRO 2007
  int starvation_cap = 2048;
  PagePolicy page_policy = PagePolicy::open;
  int idle_close = 128;
  int idle_close_min = 16;
  int idle_close_max = 1024;
  RefreshPolicy refresh = RefreshPolicy::none;
  int refresh_postpone = 0;
  Interleave interleave = Interleave::row_bank_column_group;
  int extra_latency = 0;
  std::string field_order;
  bool bank_xor = false;
  Bytes line{128};
  bool rescale_timing = false;

  int bursts_per_line() const {
    return static_cast<int>(line / static_cast<std::uint64_t>(timing.bytes_per_CAS));
  }
  std::function<DramRow(Address line)> dram_rows(const AddressMap& map) const override;
  void for_each_param(ParamVisitor& visitor) override;
  Faults validate() const override;
};

}  // namespace strata
