#pragma once

#include <memory>

#include "models/common/policy_table.h"
#include "models/memory_controller/memory_controller_params.h"
#include "models/memory_controller/request_queues.h"

namespace strata {

/// Policy: the order in which a memory controller serves waiting requests. The controller issues the first
/// command that is ready: column commands for row hits before row commands for the first request of each
/// bank. The scheduler changes neither refresh nor the write drain. `starvation_cap` limits how long row hits
/// pass a first request, but not how long ranks keep a request from being the first.
class DramScheduler {
 public:
  virtual ~DramScheduler() = default;
  /// Whether a request for the open row of a bank may go before `first`, the first request of the bank, which
  /// wants another row. While none may, that row is closed for `first`.
  virtual bool lets_pass(const DramRequest& hit, const DramRequest& first) const = 0;
  /// The request of the least rank goes first, in its bank and among the banks, the older one of two with the
  /// same rank. Less than 2^62. By default requests go by age.
  virtual Cycle rank(const DramRequest& request) const { return request.accepted; }
  /// A column command of a request issues. `passed`: it goes before the first request of its bank.
  virtual void served(const DramRequest& /*request*/, bool /*passed*/) {}
};

/// A row of the table of schedulers.
struct DramSchedulerRow {
  std::string_view name;
  std::string_view sentence;  ///< in what order requests are served
  std::unique_ptr<DramScheduler> (*make)(const MemoryControllerParams& params);

  static constexpr std::string_view kind = "DRAM scheduler";
  static PolicyTable<DramSchedulerRow>& table();
};

}  // namespace strata
