#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "traces/accelsim/bulk_operands.h"
#include "traces/accelsim/kernel_header.h"
#include "traces/accelsim/known_lines.h"
#include "traces/accelsim/scanner.h"

namespace strata::traces {

/// Turns instruction lines into instructions. Layouts and rules: docs/guide/trace-formats.md.
class InstructionParser {
 public:
  explicit InstructionParser(const KernelHeader& header) : header_(header) {}

  /// Instructions so far that move bytes or order and are not modelled, by reason; not those whose records
  /// say it (InstructionSource::gaps()).
  const std::map<std::string_view, std::uint64_t>& ignored() const { return ignored_; }
  /// Some instruction so far is of local memory, of a barrier by number or in shared memory, of clusters or a
  /// bulk copy: see ThreadBlockFinish.
  bool has_special() const { return special_; }

  void ignore(std::string_view reason, std::uint64_t count) { ignored_[reason] += count; }

  struct Failure {
    std::string message;  ///< empty = no fault
    int column = 0;
  };
  /// Append the instruction of `line`, and its listed addresses to `cta.addresses`; of a mark, nothing.
  /// False: see `failure`.
  bool parse(std::string_view line, CtaTrace& cta, Failure& failure) {
    if (starts_at_place(line))
      if (KnownLines::Line* known = known_lines_.find(line.substr(place_.size())))
        if (read_known(*known, line, cta)) return true;
    Scanner scanner(line);
    if (read_line(scanner, line, cta)) return true;
    explain(scanner, failure);
    return false;
  }
  /// Of the last line for which nothing was appended.
  ReplayMark last_mark() const { return last_mark_; }

 private:
  /// What follows the registers.
  enum class Layout : std::uint8_t { usual, bulk, committed };
  struct Known {
    std::string text;
    Opcode opcode;
    Layout layout = Layout::usual;
  };
  /// The addresses of the active lanes; when they are not regular, lanes_ holds them.
  struct Pattern {
    Address first = 0, step = 0;
    bool regular = true;
  };

  bool starts_at_place(std::string_view line) const {
    return place_.empty() || line.substr(0, place_.size()) == place_;
  }
  bool read_known(KnownLines::Line& known, std::string_view line, CtaTrace& cta);
  bool read_line(Scanner& in, std::string_view line, CtaTrace& cta);
  bool read_prefix(Scanner& in, std::string_view line);
  bool read_registers(Scanner& in, WarpInstruction& out);
  bool read_opcode(Scanner& in);
  bool read_memory(Scanner& in, const KnownLines::Line& known, WarpInstruction& out, CtaTrace& cta);
  bool read_end(Scanner& in);
  bool read_sync(Scanner& in, WarpInstruction& out) const;
  void begin_mbarrier(WarpInstruction& out);
  void end_mbarrier(Scanner& in, WarpInstruction& out) const;
  void add_bulk_copy(const WarpInstruction& copy, OpClass access, CtaTrace& cta);
  bool read_own_layout(Scanner in, const WarpInstruction& out, CtaTrace& cta);
  static bool fits_stride(Address step);
  bool read_stride(Scanner& in, std::size_t lanes, Pattern& out);
  bool read_lanes(Scanner& in, bool deltas, std::size_t lanes, Pattern& out);
  bool is_shared(Address first) const;
  bool is_local(Address first) const;
  void explain(const Scanner& in, Failure& failure) const;

  const KernelHeader& header_;
  std::array<Known, 256> known_;  ///< opcode texts seen, by hash
  KnownLines known_lines_;
  std::string place_;  ///< thread block and warp in front of the last line, if lines name them
  bool special_ = false, values_follow_ = false;
  std::map<std::string_view, std::uint64_t> ignored_;
  const Opcode* opcode_ = nullptr;  ///< of the present line
  Layout layout_ = Layout::usual;   ///< of the present line
  std::string_view opcode_text_;    ///< of the present line
  std::uint64_t source_line_ = 0;   ///< of the present line
  ReplayMark last_mark_ = ReplayMark::none;
  OpClass bulk_access_ = OpClass::other;
  bool loads_data_ = false;  ///< it is no prefetch
  BulkOperands bulk_;        ///< of the last line that has them
  std::string unknown_opcode_;
  unsigned destinations_ = 0, sources_ = 0;    ///< registers of the present line
  std::array<std::uint64_t, 2> immediates_{};  ///< of the present line
  int immediate_count_ = 0;
  std::array<Address, 32> lanes_;  ///< addresses of the present line's active lanes
};

}  // namespace strata::traces
