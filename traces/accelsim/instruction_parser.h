#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/instruction_source.h"
#include "traces/accelsim/opcode_table.h"
#include "traces/accelsim/scanner.h"

namespace strata::traces {

/// Header of a `.traceg` file.
struct KernelHeader {
  KernelInfo info;
  std::string tracer_version;    ///< as written: `1.2`, `5`
  bool values_at_end = false;    ///< versions from 6: lines end with two immediates, and values or NoVal
  bool position_prefix = false;  ///< versions below 3: each line begins `ctax ctay ctaz warp`
  bool line_info = false;        ///< each line begins with a source line number
  // For traces that Strata wrote from PTX, in which only number and units of arithmetic are known:
  bool branches_are_arithmetic = false;  ///< control flow counts as arithmetic
  bool merges_runs = false;              ///< consecutive arithmetic without registers is one record
  std::shared_ptr<CodeLines> lines;      ///< grows while instructions are read; null without `line_info`
  const OpcodeTable* opcodes = nullptr;
  Address shared_base = 0;  ///< window of generic addresses that are shared memory
  Address local_base = 0;
  bool local_is_interleaved = false;  ///< local addresses are the hardware's, not relative to each thread
  std::optional<Dim3> cluster;        ///< size of a cluster, if the file has it before its blocks
};

/// Copies by a copy engine; traces of Accel-Sim 2.0 have their operands.
bool is_bulk_copy(std::string_view opcode);
/// Effect of a bulk copy on global memory: load, store, or none (other). A prefetch is a load; a reduction is
/// a store, as in Accel-Sim.
OpClass bulk_access(std::string_view opcode);

/// Operands that the tracer of Accel-Sim 2.0 writes behind the memory width of a bulk copy: `mbarrier
/// multicast [mask] bytes outside mode ...`; mode 3 continues with `count` and that many addresses, mode 4
/// with the first address, `count` and the difference of each further address to the one before.
struct BulkOperands {
  std::uint32_t mbarrier = 0;   ///< address in shared memory of the barrier that counts the bytes; 0: none
  std::uint32_t ctas = 0;       ///< mask of the cluster's CTAs that receive the data; 0: only this one
  std::uint64_t bytes = 0;      ///< counted by the barrier
  std::uint64_t outside = 0;    ///< of these: outside of the tensor, and not read
  std::vector<Address> places;  ///< addresses in global memory, one per request

  /// Bytes of each request: an equal part of the bytes read, in steps of 16. Where the trace does not count
  /// bytes (stores, prefetches): the distance to the next address, 128 at most.
  unsigned place_bytes() const;
  /// Appends the accesses: `copy` in pieces of up to 32 lanes of 16 bytes that bypass the L1. Needs at least
  /// one place.
  void add_pieces(WarpInstruction copy, OpClass access, CtaTrace& cta) const;
  /// False if the text is something else; `in` is then where it failed.
  bool read(Scanner& in);
};

/// Cache of parsed instruction lines. A kernel has few different lines; they repeat for each warp, usually
/// after the same line as last time, with another mask or other addresses.
class KnownLines {
 public:
  static constexpr std::size_t longest =
      96;  ///< lines with a longer text before their addresses are not kept

  struct Line {
    std::array<char, longest> text{};  ///< up to the addresses, or all when `accesses` is false
    std::uint8_t length = 0;
    std::uint8_t mask_at = 0;  ///< position of the active mask, which has `mask_digits` digits
    bool accesses = false;     ///< addresses follow
    bool memory = false;       ///< and they count
    bool generic = false;      ///< the address decides between shared, local and global memory
    bool copy = false;         ///< the address tells which side of an asynchronous copy this line has
    std::uint64_t* ignored =
        nullptr;  ///< where it is counted, if its effect on traffic or order is not modelled
    WarpInstruction instruction;
    // The addresses after `text` last time, if they were regular, and the parsed line. Shared memory has the
    // same addresses in all warps, or in all thread blocks.
    std::array<char, 48> rest{};
    std::uint8_t rest_length = 0;
    WarpInstruction last;

    bool is_as_last(std::string_view behind) const {
      return rest_length != 0 && behind.size() == rest_length &&
             last.active_mask == instruction.active_mask &&
             std::memcmp(behind.data(), rest.data(), rest_length) == 0;
    }
    void note(std::string_view behind, const WarpInstruction& whole) {
      if (behind.size() > rest.size() || whole.address_kind != AddressKind::stride) return;
      std::memcpy(rest.data(), behind.data(), behind.size());
      rest_length = static_cast<std::uint8_t>(behind.size());
      last = whole;
    }

    std::uint32_t follower = 0;   ///< the line that came after this one
    std::uint32_t same_hash = 0;  ///< the next line with this hash
  };
  static constexpr std::size_t mask_digits = 8;

  KnownLines() { lines_.emplace_back(); }

  /// The line that equals `text` except for mask and addresses, with the mask of `text`; null if there is
  /// none.
  Line* find(std::string_view text) {
    std::uint32_t at = lines_[last_].follower;
    if (at == none || !same(lines_[at], text)) {
      at = look_up(text);
      if (at == none) return nullptr;
      lines_[last_].follower = at;
    }
    last_ = at;
    return &lines_[at];
  }
  /// Sets `line.text` from `text`.
  void add(std::string_view text, const Line& line);

 private:
  static constexpr std::uint32_t none = 0;  // lines_[0] stands before the first
  static constexpr std::size_t most = 1 << 14;

  static bool same(Line& line, std::string_view text) {
    const std::size_t length = line.length;
    if (line.accesses ? text.size() <= length || !Scanner::blank(text[length]) : text.size() != length)
      return false;
    return std::memcmp(text.data(), line.text.data(), length) == 0 || same_but_mask(line, text);
  }
  static bool same_but_mask(Line& line, std::string_view text);
  static std::size_t hash(std::string_view text);
  std::uint32_t look_up(std::string_view text);

  std::vector<Line> lines_;
  std::array<std::uint32_t, 1024> by_hash_{};
  std::uint32_t last_ = 0;
};

/// Parses instruction lines. Layouts and rules: docs/guide/trace-formats.md.
class InstructionParser {
 public:
  explicit InstructionParser(const KernelHeader& header) : header_(header) {}

  /// Instructions whose effect on traffic or order is not modelled, by reason, without those whose records
  /// say so (InstructionSource::gaps()).
  const std::map<std::string_view, std::uint64_t>& ignored() const { return ignored_; }
  /// True if an instruction needs ThreadBlockFinish: local memory, barriers by number or in shared memory,
  /// clusters, bulk copies.
  bool has_special() const { return special_; }

  void ignore(std::string_view reason, std::uint64_t count) { ignored_[reason] += count; }

  struct Failure {
    std::string message;  ///< empty = no fault
    int column = 0;
  };
  /// Appends the instruction of `line`, and its address list to `cta.addresses`. Marks append nothing. False:
  /// see `failure`.
  bool parse(std::string_view line, CtaTrace& cta, Failure& failure) {
    if (starts_at_place(line))
      if (KnownLines::Line* known = known_lines_.find(line.substr(place_.size())))
        if (read_known(*known, line, cta)) return true;
    Scanner scanner(line);
    if (read_line(scanner, line, cta)) return true;
    explain(scanner, failure);
    return false;
  }
  /// Mark of the last line that appended nothing.
  ReplayMark last_mark() const { return last_mark_; }

 private:
  /// What comes after the registers.
  enum class Layout : std::uint8_t { usual, bulk, committed };
  struct Known {
    std::string text;
    Opcode opcode;
    Layout layout = Layout::usual;
  };
  /// The addresses of the active lanes, in lanes_ if they are not regular.
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
  std::string place_;  ///< thread block and warp before the last line, if lines have them
  bool special_ = false, values_follow_ = false;
  std::map<std::string_view, std::uint64_t> ignored_;
  const Opcode* opcode_ = nullptr;  ///< of the present line
  Layout layout_ = Layout::usual;   ///< of the present line
  std::string_view opcode_text_;    ///< of the present line
  std::uint64_t source_line_ = 0;   ///< of the present line
  ReplayMark last_mark_ = ReplayMark::none;
  OpClass bulk_access_ = OpClass::other;
  bool loads_data_ = false;  ///< false for a prefetch
  BulkOperands bulk_;        ///< of the last line that has them
  std::string unknown_opcode_;
  unsigned destinations_ = 0, sources_ = 0;    ///< registers of the present line
  std::array<std::uint64_t, 2> immediates_{};  ///< of the present line
  int immediate_count_ = 0;
  std::array<Address, 32> lanes_;  ///< addresses of the present line's active lanes
};

}  // namespace strata::traces
