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

/// What the head of a `.traceg` file says.
struct KernelHeader {
  KernelInfo info;
  std::string tracer_version;    ///< as written: `1.2`, `5`
  bool values_at_end = false;    ///< versions from 6: lines end with two immediates, and values or NoVal
  bool position_prefix = false;  ///< versions below 3: each line begins `ctax ctay ctaz warp`
  bool line_info = false;        ///< each line begins with a source line number
  // Of traces that Strata wrote from PTX, whose arithmetic is known by its number and units only:
  bool branches_are_arithmetic = false;  ///< control flow counts as arithmetic
  bool merges_runs = false;          ///< arithmetic without registers that follows each other is one record
  std::shared_ptr<CodeLines> lines;  ///< grows while instructions are read; null without `line_info`
  const OpcodeTable* opcodes = nullptr;
  Address shared_base = 0;  ///< window of generic addresses that are shared memory
  Address local_base = 0;
  bool local_is_interleaved = false;  ///< addresses of local memory are those of hardware, not of each thread
  std::optional<Dim3> cluster;  ///< thread blocks of a cluster, where the file says it before its blocks
};

/// Copies by an engine, whose operands traces of Accel-Sim 2.0 write out.
bool is_bulk_copy(std::string_view opcode);
/// What such a copy does in global memory: load, store, or nothing (other). A prefetch is a load; a reduction
/// a store, as Accel-Sim has it.
OpClass bulk_access(std::string_view opcode);

/// What the tracer of Accel-Sim 2.0 writes behind the memory width of a bulk copy:
/// `mbarrier multicast [mask] bytes outside mode ...`, with mode 3: `count` and so many addresses, or mode 4:
/// the first address, `count` and the differences of the others, each to the one before.
struct BulkOperands {
  std::uint32_t mbarrier = 0;   ///< address in shared memory of the barrier that gets the bytes; 0: none
  std::uint32_t ctas = 0;       ///< of the cluster, that get the data: a bit each; 0: this one alone
  std::uint64_t bytes = 0;      ///< that the barrier gets
  std::uint64_t outside = 0;    ///< of these, that lie outside of the tensor and are not read
  std::vector<Address> places;  ///< what it reads or writes in global memory, a request each

  /// Bytes that each of `places` stands for: an equal part of what is read, in steps of 16. Where the trace
  /// does not count bytes (stores, prefetches), up to the next place, 128 at most.
  unsigned place_bytes() const;
  /// Appends the accesses: `copy` in pieces of up to 32 lanes of 16 bytes, past the L1. At least one place.
  void add_pieces(WarpInstruction copy, OpClass access, CtaTrace& cta) const;
  /// False when the text is something else; `in` is then where it failed.
  bool read(Scanner& in);
};

/// Instruction lines that a reader has understood. The lines of a kernel are few; they come again for each
/// warp, mostly after the same line as the last time, with another mask or other addresses.
class KnownLines {
 public:
  static constexpr std::size_t longest = 96;  ///< lines with more before their addresses are not kept

  struct Line {
    std::array<char, longest> text{};  ///< up to the addresses, or all when `accesses` is false
    std::uint8_t length = 0;
    std::uint8_t mask_at = 0;  ///< where the active mask stands, in `mask_digits` digits
    bool accesses = false;     ///< addresses follow
    bool memory = false;       ///< ... and are not ignored
    bool generic = false;      ///< the address decides between shared, local and global memory
    bool copy = false;         ///< the address tells which side of an asynchronous copy the line is of
    std::uint64_t* ignored =
        nullptr;  ///< where to count it, when it moves bytes or orders and is not modelled
    WarpInstruction instruction;
    // What followed `text` the last time, when its addresses were regular, and what the line was then. Shared
    // memory has the same addresses in all warps, or in all thread blocks.
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

  /// The line that is `text` but for mask and addresses, with the mask of `text`; null when there is none.
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
  /// `line.text` is filled in from `text`.
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
