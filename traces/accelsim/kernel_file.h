#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "traces/accelsim/instruction_parser.h"
#include "traces/accelsim/line_reader.h"
#include "traces/accelsim/thread_block_finish.h"

namespace strata::traces {

/// One `.traceg` or `.tracez` file, CTA after CTA in file order. Holds one CTA and one buffer, for files of
/// any size.
class KernelFile {
 public:
  /// Reads the header. `strict` also refuses global accesses whose lanes all have address 0 (a known tracer
  /// fault).
  KernelFile(const std::string& path, bool strict);
  KernelFile(const KernelFile&) = delete;
  KernelFile& operator=(const KernelFile&) = delete;

  const KernelHeader& header() const { return header_; }
  /// Searches the blocks for the size of clusters, if the header does not have it.
  void find_cluster();
  /// For a file that was searched before. Throws TraceError if the grid does not consist of whole clusters.
  void set_cluster(const Dim3& cluster);
  /// Stores source lines here instead of in the header's own list; null: nowhere.
  void note_lines(std::shared_ptr<CodeLines> lines) { header_.lines = std::move(lines); }
  /// Polling loops (REPLAY_START) so far.
  std::uint64_t replay_loops() const { return replay_loops_; }
  /// Index of the CTA that `next` returns.
  std::uint64_t position() const { return position_; }
  /// Instructions so far whose effect on traffic or order is not modelled, by reason.
  const std::map<std::string_view, std::uint64_t>& ignored() const { return parser_->ignored(); }
  /// Returns the next CTA. After the last one, checks that the file ends there.
  std::shared_ptr<CtaTrace> next();

 private:
  struct WarpRange {
    std::uint32_t warp;
    std::uint32_t begin;
    std::uint32_t end;
  };

  /// State of a warp.
  struct Copies {
    bool any = false, committed = false;
  };

  void read_header();
  void read_key(std::string_view line);
  void finish_header();
  void begin_block();
  void check_cluster(const Dim3& place);
  bool read_warp(CtaTrace& cta);  // false at #END_TB
  void read_instructions(std::uint32_t warp, std::uint64_t count, CtaTrace& cta);
  static void merge_run(std::uint32_t begin, CtaTrace& cta);
  void check_access(const CtaTrace& cta) const;
  void check_copies(const WarpInstruction& instruction, std::uint32_t warp, Copies& copies) const;
  void order_warps(CtaTrace& cta);
  void expect_end();
  std::uint32_t warp_lanes(std::uint32_t warp) const;
  std::string block_name() const;

  LineReader lines_;
  bool strict_;
  KernelHeader header_;
  std::unique_ptr<InstructionParser> parser_;
  ThreadBlockFinish finish_{header_};
  std::vector<WarpRange> warps_;
  std::uint64_t position_ = 0, replay_loops_ = 0;
  std::size_t size_hint_ = 0;
};

}  // namespace strata::traces
