#pragma once

#include <memory>

#include "models/common/policy_table.h"
#include "models/memory_controller/memory_controller_params.h"

namespace strata {

/// An open row that no request waits for or owns.
struct OpenRow {
  int bank = 0;
  std::int64_t row = 0;
  Cycle last_use = 0;  ///< of its last column command
  int columns = 0;     ///< column commands since it was opened
};

/// Policy: when to close a row that no request waits for. Its PRE goes after all other row commands. A row
/// that another request of the bank needs closed is closed for it, whatever the policy.
class RowPolicy {
 public:
  virtual ~RowPolicy() = default;
  /// The first cycle in which to close the row; `never`: keep it open. May lie in the past.
  virtual Cycle close_at(const OpenRow& open) const = 0;
  /// The policy was wrong: it closed the row that the bank opens next; or it left a row open that a request
  /// had to close.
  virtual void closed_too_early(int /*bank*/) {}
  virtual void closed_too_late(int /*bank*/) {}
};

/// A row of the table of row policies.
struct RowPolicyRow {
  std::string_view name;
  std::string_view sentence;  ///< when a row is closed
  std::unique_ptr<RowPolicy> (*make)(const MemoryControllerParams& params);

  static constexpr std::string_view kind = "row policy";
  static PolicyTable<RowPolicyRow>& table();
};

}  // namespace strata
