#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "traces/cta_view.h"
#include "traces/record/columns.h"
#include "traces/record/dictionary.h"
#include "traces/record/lane_form.h"
#include "traces/record/predictor.h"

namespace strata::traces::record {

/// CTAs into the columns of a block. Adds to the dictionary.
class ColumnEncoder {
 public:
  explicit ColumnEncoder(Dictionary& dictionary) : dictionary_(dictionary) {}
  void add(const CtaView& cta);
  /// What was added since they were cleared.
  Columns& columns() { return columns_; }
  /// Nothing is remembered of what was added before.
  void begin_block();

 private:
  /// What lies behind an instruction's address: stride, mask and static part.
  using Image = std::array<std::uint64_t, 4>;
  /// The last instruction of a dictionary entry: one like it, where it is expected, only needs its address.
  struct Last {
    Image image{};
    Address offset = 0;  ///< of the first active lane, from lane 0
    bool there = false;
  };

  unsigned add(const WarpInstruction& instruction, const Address* addresses);
  unsigned add_other(const WarpInstruction& instruction, const Address* addresses);
  void add_mask(std::uint32_t mask);
  unsigned add_strided(const WarpInstruction& instruction);
  unsigned add_listed(const WarpInstruction& instruction, const Address* addresses);
  void add_differences(const LaneForm& form, const Lanes& lanes, std::uint32_t row);
  unsigned add_address(Address address);

  Dictionary& dictionary_;
  Predictor predictor_;
  LaneMemory memory_;
  Columns columns_;
  std::vector<Last> last_;  ///< by code, of this block
};

}  // namespace strata::traces::record
