#include "traces/accelsim/kernel_file.h"

#include <algorithm>

#include "models/common/faults.h"
#include "models/common/text.h"
#include "models/common/units.h"
#include "traces/instruction_effect.h"
#include "traces/record/block_codec.h"

namespace strata::traces {
namespace {

// CUDA's limits on a launch (CUDA C++ Programming Guide, "Features and Technical Specifications").
constexpr std::uint32_t max_grid_x = 2147483647, max_grid_yz = 65535, max_block_threads = 1024;
constexpr std::uint64_t most_header_lines = 10'000;
constexpr int first_with_clusters = 90;  // binary version

/// A hexadecimal number, with or without `0x`.
bool read_address(std::string_view text, Address& out) {
  if (starts_with(text, "0x")) text.remove_prefix(2);
  return read_number(text, out, 16);
}

/// `(x,y,z)`, each at least 1.
bool dimensions(std::string_view text, Dim3& out) {
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') return false;
  text = text.substr(1, text.size() - 2);
  const std::size_t first = text.find(',');
  const std::size_t second = first == std::string_view::npos ? first : text.find(',', first + 1);
  if (second == std::string_view::npos) return false;
  return read_number(text.substr(0, first), out.x) &&
         read_number(text.substr(first + 1, second - first - 1), out.y) &&
         read_number(text.substr(second + 1), out.z) && out.x > 0 && out.y > 0 && out.z > 0;
}

/// `X,Y,Z` after `key = `.
bool keyed_place(std::string_view line, std::string_view key, Dim3& out) {
  if (!starts_with(line, key)) return false;
  line = trim(line.substr(key.size()));
  if (line.empty() || line.front() != '=') return false;
  line = trim(line.substr(1));
  const std::size_t first = line.find(',');
  const std::size_t second = first == std::string_view::npos ? first : line.find(',', first + 1);
  if (second == std::string_view::npos) return false;
  return read_number(trim(line.substr(0, first)), out.x) &&
         read_number(trim(line.substr(first + 1, second - first - 1)), out.y) &&
         read_number(trim(line.substr(second + 1)), out.z);
}

std::string to_text(const Dim3& d) {
  return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + ")";
}

/// The number after `key = `, for `warp = 3` and `insts = 12`.
bool keyed_number(std::string_view line, std::string_view key, std::uint64_t& out) {
  if (!starts_with(line, key)) return false;
  line = trim(line.substr(key.size()));
  if (line.empty() || line.front() != '=') return false;
  return read_number(trim(line.substr(1)), out);
}

}  // namespace

KernelFile::KernelFile(const std::string& path, bool strict) : lines_(path), strict_(strict) {
  read_header();
  finish_header();
}

void KernelFile::read_header() {
  std::string_view line;
  header_.info.grid = header_.info.block = Dim3{0, 0, 0};
  while (lines_.next_filled(line)) {
    if (lines_.line_number() > most_header_lines)
      lines_.fail("expected a header of at most " + std::to_string(most_header_lines) + " lines");
    if (line.front() == '#') {
      // `#traces format` is ignored; a file without it begins with its first block.
      if (starts_with(line, "#BEGIN_TB")) lines_.unread();
      return;
    }
    if (line.front() != '-')
      lines_.fail("expected a header line '-key = value' or '#traces format', found '" +
                  std::string(line.substr(0, 40)) + "'");
    read_key(line.substr(1));
  }
  lines_.fail("expected '#traces format' after the header, found the end of the file");
}

void KernelFile::read_key(std::string_view line) {
  const std::size_t equals = line.find('=');
  const std::string_view key = trim(line.substr(0, equals));
  const std::string_view value =
      equals == std::string_view::npos ? std::string_view{} : trim(line.substr(equals + 1));
  KernelInfo& info = header_.info;
  Dim3 cluster;
  const auto expect = [&](bool good, const char* what) {
    if (!good)
      lines_.fail("-" + std::string(key) + ": expected " + what + ", found '" + std::string(value) + "'");
  };
  std::int64_t number = 0;
  if (key == "kernel name") {
    info.name = value;
  } else if (key == "grid dim") {
    expect(dimensions(value, info.grid) && info.grid.x <= max_grid_x && info.grid.y <= max_grid_yz &&
               info.grid.z <= max_grid_yz,
           "(x,y,z) from 1 to (2147483647,65535,65535)");
  } else if (key == "block dim") {
    expect(dimensions(value, info.block) && info.block.x <= max_block_threads &&
               info.block.y <= max_block_threads && info.block.z <= max_block_threads &&
               info.block.count() <= max_block_threads,
           "(x,y,z) with 1 to 1024 threads");
  } else if (key == "shmem") {
    expect(read_number(value, info.shared_bytes), "a number of bytes (decimal)");
  } else if (key == "nregs") {
    expect(read_number(value, info.registers) && info.registers <= 256,
           "a number of registers from 0 to 256");
  } else if (key == "cuda stream id") {
    expect(read_number(value, info.stream), "a number from 0 to 18446744073709551615");
  } else if (key == "cluster dim") {
    expect(dimensions(value, cluster), "(x,y,z), each at least 1");
    header_.cluster = cluster;
  } else if (key == "binary version") {
    header_.opcodes = read_number(value, number) ? OpcodeTable::find(number) : nullptr;
    expect(header_.opcodes != nullptr, ("one of " + OpcodeTable::known_versions()).c_str());
  } else if (key == "shmem base_addr") {
    expect(read_address(value, header_.shared_base), "an address (hexadecimal)");
  } else if (key == "local mem base_addr") {
    expect(read_address(value, header_.local_base), "an address (hexadecimal)");
  } else if (key == "local mem layout") {
    expect(value == "thread" || value == "interleaved", "thread or interleaved");
    header_.local_is_interleaved = value == "interleaved";
  } else if (key == "accelsim tracer version") {
    header_.tracer_version = value;
    const std::string_view major = value.substr(0, value.find('.'));
    expect(read_number(major, number) && number >= 1 && number <= 6, "a trace version from 1 to 6");
    header_.values_at_end = number >= 6;
    header_.position_prefix = number < 3;
  } else if (key == "enable lineinfo") {
    expect(value == "0" || value == "1", "0 or 1");
    header_.line_info = value == "1";
  } else if (key == "strata branches") {
    expect(value == "arithmetic" || value == "control", "arithmetic or control");
    header_.branches_are_arithmetic = value == "arithmetic";
  } else if (key == "strata runs") {
    expect(value == "merged" || value == "single", "merged or single");
    header_.merges_runs = value == "merged";
  }
}

void KernelFile::finish_header() {
  const auto need = [this](bool present, const char* key) {
    if (!present) lines_.fail(std::string("expected '-") + key + " = ...' in the header before this line");
  };
  need(header_.info.grid.x != 0, "grid dim");
  need(header_.info.block.x != 0, "block dim");
  need(header_.opcodes != nullptr, "binary version");
  need(!header_.tracer_version.empty(), "accelsim tracer version");
  if (!header_.cluster) header_.cluster = lines_.bytes().cluster();
  if (header_.cluster) set_cluster(*header_.cluster);
  parser_ = std::make_unique<InstructionParser>(header_);
}

void KernelFile::set_cluster(const Dim3& cluster) {
  const Dim3& grid = header_.info.grid;
  if (cluster.count() == 0 || grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0)
    lines_.fail("expected a grid of whole clusters, found grid " + to_text(grid) + " and clusters of " +
                to_text(cluster) + " thread blocks");
  header_.info.cluster = cluster;
}

std::uint32_t KernelFile::warp_lanes(std::uint32_t warp) const {
  const std::uint32_t threads = header_.info.threads_per_cta() - warp * 32;
  return threads >= 32 ? 0xffffffffu : (1u << threads) - 1;
}

std::string KernelFile::block_name() const {
  return "thread block " + std::to_string(position_ + 1) + " of " + std::to_string(header_.info.ctas());
}

void KernelFile::begin_block() {
  std::string_view line;
  if (!lines_.next_filled(line))
    lines_.fail("expected " + block_name() + " (grid " + to_text(header_.info.grid) +
                "), found the end of the file: thread blocks are missing");
  if (!starts_with(line, "#BEGIN_TB"))
    lines_.fail("expected '#BEGIN_TB' of " + block_name() + ", found '" + std::string(line.substr(0, 40)) +
                "'");
  if (!lines_.next_filled(line) || !starts_with(line, "thread block"))
    lines_.fail("expected 'thread block = X,Y,Z' after '#BEGIN_TB'");
  Dim3 place;
  while (lines_.next_filled(line)) {
    if (!starts_with(line, "cluster ")) {
      lines_.unread();
      return;
    }
    if (starts_with(line, "cluster cta")) {
      if (!keyed_place(line, "cluster cta", place))
        lines_.fail("expected 'cluster cta = X,Y,Z', found '" + std::string(line.substr(0, 40)) + "'");
      check_cluster(place);
    }
  }
}

/// Thread blocks of a cluster are known by their position in the grid.
void KernelFile::check_cluster(const Dim3& place) {
  const Dim3 &grid = header_.info.grid, &cluster = header_.info.cluster;
  if (cluster.count() == 1) return;
  const std::uint64_t x = position_ % grid.x, y = position_ / grid.x % grid.y,
                      z = position_ / grid.x / grid.y;
  if (place.x != x % cluster.x || place.y != y % cluster.y || place.z != z % cluster.z)
    lines_.fail("expected " + block_name() + " at (" + std::to_string(x % cluster.x) + "," +
                std::to_string(y % cluster.y) + "," + std::to_string(z % cluster.z) +
                ") of its cluster (grid " + to_text(grid) + ", clusters of " + to_text(cluster) +
                "), found it at " + to_text(place) +
                ": thread blocks of clusters must be listed in the order of the grid");
}

std::shared_ptr<CtaTrace> KernelFile::next() {
  begin_block();
  auto cta = std::make_shared<CtaTrace>();
  cta->index = position_;
  cta->instructions.reserve(size_hint_);
  warps_.clear();
  while (read_warp(*cta)) continue;
  order_warps(*cta);
  if (parser_->has_special())
    if (const std::uint64_t elsewhere = finish_.finish(*cta); elsewhere != 0)
      parser_->ignore(effects::reports_elsewhere, elsewhere);
  size_hint_ = cta->instructions.size();
  if (++position_ == header_.info.ctas()) expect_end();
  return cta;
}

bool KernelFile::read_warp(CtaTrace& cta) {
  std::string_view line;
  if (!lines_.next_filled(line)) {
    // Tracers that are stopped omit the last mark; nothing else may be missing.
    if (position_ + 1 == header_.info.ctas() && warps_.size() == header_.info.warps_per_cta()) return false;
    lines_.fail("expected 'warp = W' or '#END_TB' in " + block_name() +
                ", found the end of the file: the file is cut");
  }
  if (starts_with(line, "#END_TB")) {
    if (warps_.size() != header_.info.warps_per_cta())
      lines_.fail("expected " + std::to_string(header_.info.warps_per_cta()) + " warps (block " +
                  to_text(header_.info.block) + ") before '#END_TB' of " + block_name() + ", found " +
                  std::to_string(warps_.size()));
    return false;
  }
  std::uint64_t warp = 0, count = 0;
  if (!keyed_number(line, "warp", warp)) {
    const std::string after = warps_.empty() ? "" : " (is 'insts' of the warp before too small?)";
    lines_.fail("expected 'warp = W' or '#END_TB', found '" + std::string(line.substr(0, 40)) + "'" + after);
  }
  if (warp >= header_.info.warps_per_cta())
    lines_.fail("expected a warp from 0 to " + std::to_string(header_.info.warps_per_cta() - 1) + " (block " +
                to_text(header_.info.block) + "), found " + std::to_string(warp));
  for (const WarpRange& seen : warps_)
    if (seen.warp == warp)
      lines_.fail("expected every warp once, found warp " + std::to_string(warp) + " again");
  if (!lines_.next_filled(line) || !keyed_number(line, "insts", count) || count == 0)
    lines_.fail("expected 'insts = N' with N of at least 1 for warp " + std::to_string(warp));
  if (count > record::max_cta_instructions - cta.instructions.size())
    lines_.fail("expected at most " + std::to_string(record::max_cta_instructions) + " instructions in " +
                block_name() + ", found insts = " + std::to_string(count) + " for warp " +
                std::to_string(warp) + " after " + std::to_string(cta.instructions.size()));
  read_instructions(static_cast<std::uint32_t>(warp), count, cta);
  return true;
}

void KernelFile::read_instructions(std::uint32_t warp, std::uint64_t count, CtaTrace& cta) {
  const std::uint64_t counted_at = lines_.line_number();
  const auto begin = static_cast<std::uint32_t>(cta.instructions.size());
  std::uint32_t exited = 0;
  Copies copies;
  bool replayed = false;  // in a polling loop: REPLAY_START to REPLAY_END
  std::string_view line;
  InstructionParser::Failure failure;
  for (std::uint64_t i = 0; i < count; ++i) {
    const bool more = lines_.next_filled(line);
    if (!more || line.front() == '#' || line.front() == 'w') {
      const std::string found =
          more ? "'" + std::string(line.substr(0, 40)) + "'" : "the end of the file: the file is cut";
      lines_.fail("expected instruction " + std::to_string(i + 1) + " of " + std::to_string(count) +
                  " of warp " + std::to_string(warp) + " (insts at line " + std::to_string(counted_at) +
                  "), found " + found);
    }
    const std::size_t before = cta.instructions.size();
    if (!parser_->parse(line, cta, failure)) lines_.fail(failure.message, failure.column);
    if (cta.instructions.size() == before) {  // a mark of the tracer
      replayed = parser_->last_mark() == ReplayMark::start;
      if (replayed) ++replay_loops_;
      continue;
    }
    const WarpInstruction& instruction = cta.instructions.back();
    check_copies(instruction, warp, copies);
    if (instruction.op == OpClass::exit)
      exited |= instruction.active_mask;
    else if (strict_)
      check_access(cta);
    if (header_.merges_runs) merge_run(begin, cta);
  }
  std::uint32_t missing = warp_lanes(warp) & ~exited;
  if (missing != 0 && replayed && cta.instructions.size() > begin &&
      cta.instructions.back().op == OpClass::exit) {
    // The trace ends within the loop, before all threads were seen to exit. As in Accel-Sim, the last EXIT
    // applies to all remaining threads.
    cta.instructions.back().active_mask |= missing;
    missing = 0;
  }
  if (missing != 0)
    lines_.fail("expected EXIT for every thread of warp " + std::to_string(warp) + " in its " +
                std::to_string(count) + " instructions (insts at line " + std::to_string(counted_at) +
                "), found none for lane " + std::to_string(__builtin_ctz(missing)));
  warps_.push_back({warp, begin, static_cast<std::uint32_t>(cta.instructions.size())});
}

/// Marks a wait for groups of copies that the warp has not made: it would pass although copies are in flight.
void KernelFile::check_copies(const WarpInstruction& instruction, std::uint32_t warp, Copies& copies) const {
  copies.any = copies.any || (instruction.async && !instruction.bulk && instruction.op == OpClass::load);
  // Barriers in shared memory may be what waits for the copies.
  const bool unknown_order =
      (instruction.async && instruction.op == OpClass::other) || instruction.sync == Sync::mbarrier_copies;
  copies.committed = copies.committed || unknown_order || instruction.sync == Sync::copy_commit;
  if (instruction.sync == Sync::copy_wait && copies.any && !copies.committed)
    lines_.fail("expected LDGDEPBAR between the asynchronous copies (LDGSTS) of warp " +
                std::to_string(warp) + " of " + block_name() + " of kernel '" + header_.info.name +
                "' and this DEPBAR, found none: it waits for a barrier that is never set");
}

void KernelFile::check_access(const CtaTrace& cta) const {
  const WarpInstruction& access = cta.instructions.back();
  if (!touches_global_memory(access.op) || access.active_mask == 0 || access.local) return;
  if (access.address_kind == AddressKind::stride && (access.address != 0 || access.stride != 0)) return;
  if (access.address_kind == AddressKind::list) return;  // equal addresses would be a stride
  lines_.fail("expected the address of an active lane, found 0 for all " +
              std::to_string(access.active_lanes()) + " lanes: the tracer lost the addresses");
}

/// Sorts instructions by warp; files list warps in any order.
void KernelFile::order_warps(CtaTrace& cta) {
  const auto by_warp = [](const WarpRange& a, const WarpRange& b) { return a.warp < b.warp; };
  if (!std::is_sorted(warps_.begin(), warps_.end(), by_warp)) {
    std::sort(warps_.begin(), warps_.end(), by_warp);
    std::vector<WarpInstruction> ordered;
    ordered.reserve(cta.instructions.size());
    for (const WarpRange& range : warps_)
      ordered.insert(ordered.end(), cta.instructions.begin() + range.begin,
                     cta.instructions.begin() + range.end);
    cta.instructions = std::move(ordered);
  }
  cta.warp_begin.assign(1, 0);
  for (const WarpRange& range : warps_)
    cta.warp_begin.push_back(cta.warp_begin.back() + range.end - range.begin);
}

/// Merges the last instruction into the record before it, if both are arithmetic and it waits for nothing.
void KernelFile::merge_run(std::uint32_t begin, CtaTrace& cta) {
  if (cta.instructions.size() < begin + std::size_t{2}) return;
  const WarpInstruction& last = cta.instructions.back();
  WarpInstruction& run = *(cta.instructions.end() - 2);
  const auto none = [](std::uint8_t source) { return source == no_register; };
  if (last.op != OpClass::alu || run.op != OpClass::alu || last.active_mask != run.active_mask ||
      last.destination != no_register || run.destination != no_register || run.weight == 255 ||
      !std::all_of(last.sources.begin(), last.sources.end(), none))
    return;
  ++run.weight;
  for (std::size_t k = 0; k < counted_units; ++k)
    run.units[k] = static_cast<std::uint8_t>(run.units[k] + last.units[k]);
  cta.instructions.pop_back();
}

/// Derives the size of clusters from the blocks' positions in them. Without clusters: (1,1,1).
void KernelFile::find_cluster() {
  const Dim3& grid = header_.info.grid;
  if (header_.cluster || header_.opcodes->version() < first_with_clusters || grid.count() == 1) return;
  LineReader lines(lines_.path());
  std::string_view line;
  Dim3 place, within, cluster;
  bool x = grid.x == 1, y = grid.y == 1, z = grid.z == 1;  // known in this direction
  while (!(x && y && z) && lines.next_filled(line)) {
    if (keyed_place(line, "thread block", place)) {
      if (!lines.next_filled(line) || !starts_with(line, "cluster ")) break;
      lines.unread();
    } else if (keyed_place(line, "cluster cta", within)) {
      cluster = {std::max(cluster.x, within.x + 1), std::max(cluster.y, within.y + 1),
                 std::max(cluster.z, within.z + 1)};
      z = z || (place.z > 0 && within.z == 0);
      y = y || place.z > 0 || (place.y > 0 && within.y == 0);
      x = x || place.z > 0 || place.y > 0 || (place.x > 0 && within.x == 0);
    }
  }
  set_cluster(cluster);
}

void KernelFile::expect_end() {
  std::string_view line;
  if (lines_.next_filled(line))
    lines_.fail("expected the end of the file after " + std::to_string(header_.info.ctas()) +
                " thread blocks (grid " + to_text(header_.info.grid) + "), found '" +
                std::string(line.substr(0, 40)) + "'");
}

}  // namespace strata::traces
