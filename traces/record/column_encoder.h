#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/common/instruction_source.h"
#include "traces/record/access_counts.h"
#include "traces/record/columns.h"
#include "traces/record/dictionary.h"
#include "traces/record/lane_form.h"
#include "traces/warp_path.h"

namespace strata::traces {

/// The instructions of a thread block in memory of the caller; valid until that changes.
struct CtaView {
  struct Warp {
    const WarpInstruction* begin = nullptr;
    const WarpInstruction* end = nullptr;
    std::size_t size() const { return static_cast<std::size_t>(end - begin); }
  };
  std::uint64_t index = 0;
  std::vector<Warp> warps;
  const Address* addresses = nullptr;  ///< address pool of AddressKind::list

  CtaView() = default;
  explicit CtaView(const CtaTrace& cta) : index(cta.index), addresses(cta.addresses.data()) {
    warps.reserve(cta.warps());
    for (std::size_t w = 0; w < cta.warps(); ++w)
      warps.push_back(
          {cta.instructions.data() + cta.warp_begin[w], cta.instructions.data() + cta.warp_begin[w + 1]});
  }
  std::uint64_t instructions() const {
    std::uint64_t all = 0;
    for (const Warp& warp : warps) all += warp.size();
    return all;
  }
};

}  // namespace strata::traces

namespace strata::traces::record {

/// Encodes CTAs into the columns of a block. Adds to the dictionary.
class ColumnEncoder {
 public:
  /// Stride, mask and static part of an instruction.
  struct Signature {
    std::array<std::uint64_t, 4> words;
    static Signature none() { return {{~0ULL, ~0ULL, ~0ULL, ~0ULL}}; }  ///< differs from every instruction
  };
  explicit ColumnEncoder(Dictionary& dictionary) : dictionary_(dictionary) {}
  void add(const CtaView& cta);
  void add(const CtaPath& cta);
  /// Columns since they were last cleared.
  Columns& columns() { return columns_; }
  /// Counts of the instructions in these columns.
  AccessCounts& counts() { return counts_; }
  /// Resets all predictions.
  void begin_block();

 private:
  /// The last instruction of a dictionary entry. An equal, predicted instruction needs only its address.
  struct alignas(64) Last {
    Signature signature = Signature::none();
    Address offset = 0;       ///< from lane 0 to the first active lane
    Address most = 0;         ///< dense shape: addresses from 1 to this one do not wrap around
    std::uint64_t lanes = 0;  ///< stride and mask
    AccessShape shape;
  };

  /// Dictionary codes of a pattern's instructions.
  struct PatternCodes {
    struct Link {
      std::uint32_t record, cell, code;
      bool listed;
    };
    std::vector<std::uint32_t> codes;
    std::vector<Link> accesses;
    std::uint32_t most = 0;  ///< largest code
    const Pattern::Access& access(const Link& link, const Pattern& pattern) const {
      return pattern.accesses[static_cast<std::size_t>(&link - accesses.data())];
    }
  };

  char* begin_cta(std::uint64_t instructions);
  void add(const PathSegment& segment, const Address* addresses, char* flags);
  void add(const PathSegment& segment, std::size_t first, std::size_t last, const Address* addresses,
           char* flags);
  void insert_codes(const PathSegment& segment, const Address* addresses, char* flags);
  void add_known(const PathSegment& segment, const PatternCodes& known, const Address* addresses,
                 char* flags);
  void add_code(std::uint32_t code, char& flags);
  static bool change_lanes(Last& last, std::uint32_t stride, std::uint32_t mask);
  void add_times(const PathSegment& segment, const Address* addresses, char* flags);
  bool stays_predicted(const PathSegment& segment, const PatternCodes& known);
  void skip(const PathSegment& segment, std::uint32_t times, const PatternCodes& known);
  const WarpInstruction* add_expected(const WarpInstruction* i, const WarpInstruction* end,
                                      const Address* addresses, char* flags);
  unsigned add_changed(const WarpInstruction& instruction, const Address* addresses);
  unsigned add_other(const WarpInstruction& instruction, const Address* addresses, const AccessShape& shape);
  unsigned add_access(const WarpInstruction& access, const Address* addresses);
  void update_last(const WarpInstruction& instruction, const AccessShape& shape);
  static std::uint64_t lanes_of(std::uint32_t stride, std::uint32_t mask) {
    return stride | std::uint64_t{mask} << 32;
  }
  void add_mask(std::uint32_t mask);
  unsigned add_strided(const WarpInstruction& instruction);
  unsigned add_listed(const WarpInstruction& instruction, const Address* addresses, const AccessShape& shape);
  void add_differences(const LaneForm& form, const Lanes& lanes, std::uint32_t row);
  unsigned add_address(Address address);
  unsigned add_other_address(Address address);

  Dictionary& dictionary_;
  Predictor predictor_;
  LaneMemory memory_;
  Columns columns_;
  AccessCounts counts_;
  std::vector<Last> last_{1};  ///< by code, in this block; the last one stands for a predicted new code
  std::vector<PatternCodes> pattern_codes_;  ///< by pattern
};

}  // namespace strata::traces::record
