// The table of row policies: a declaration and a row each, in the order of PagePolicy.
#include "models/memory_controller/row_policy.h"

namespace strata {

RowPolicyRow open_row_policy();
RowPolicyRow closed_row_policy();
RowPolicyRow timeout_row_policy();
RowPolicyRow adaptive_row_policy();

PolicyTable<RowPolicyRow>& RowPolicyRow::table() {
  static PolicyTable<RowPolicyRow> rows = {open_row_policy(), closed_row_policy(), timeout_row_policy(),
                                           adaptive_row_policy()};
  return rows;
}

}  // namespace strata
