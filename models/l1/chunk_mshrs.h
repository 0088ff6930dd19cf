#pragma once

#include <cstdint>
#include <vector>

#include "models/cache/mshr_file.h"

namespace strata {

/// Some chunks of a line: bit i is chunk i.
using ChunkMask = std::uint16_t;

/// Chunks of a line, at most eight: the builtin is a library call on plain x86-64.
inline unsigned chunk_count(ChunkMask chunks) {
  unsigned sum = chunks - (chunks >> 1 & 0x55U);
  sum = (sum & 0x33) + (sum >> 2 & 0x33);
  return (sum + (sum >> 4)) & 0xf;
}

/// MSHRs for chunks (ICS 2016, section 3.4): a register a line, with the mask of the chunks that are under
/// way (the paper's issued chunk mask). Each request for some of them is a fetch of its own. An access waits
/// with its line until all chunks that it misses are here; its `tag` holds which are not.
class ChunkMshrs {
 public:
  static constexpr int none = MshrFile::none;

  ChunkMshrs(int registers, int waiters, int line_chunks)
      : file_(registers, waiters),
        line_chunks_(line_chunks),
        under_way_(static_cast<std::size_t>(registers)),
        fetches_(static_cast<std::size_t>(registers * line_chunks)) {}

  int fetches() const { return static_cast<int>(fetches_.size()); }
  int fetching() const { return fetching_; }
  const Access* oldest() const { return file_.oldest(); }

  int find(std::uint64_t number) const { return file_.find(number); }
  bool has_closed(std::uint64_t number) const { return file_.has_closed(number); }
  bool full() const { return file_.full(); }
  bool can_join(int id) const { return file_.can_merge(id); }
  ChunkMask under_way(int id) const { return under_way_[at(id)]; }
  std::uint64_t number(int fetch) const { return file_.number(fetch / line_chunks_); }
  std::uint32_t set(int fetch) const { return file_.set(fetch / line_chunks_); }
  bool closed(int fetch) const { return file_.closed(fetch / line_chunks_); }
  ChunkMask chunks(int fetch) const { return fetches_[at(fetch)].chunks; }

  int allocate(std::uint64_t number, std::uint32_t set, Access& access, ChunkMask missing) {
    access.tag = missing;
    return file_.allocate(number, access, set);
  }
  void join(int id, Access& access, ChunkMask missing) {
    access.tag = missing;
    file_.merge(id, access);
  }
  /// Chunks that nobody has asked for yet are asked for: the number of the fetch.
  int ask(int id, ChunkMask fresh) {
    under_way_[at(id)] |= fresh;
    ++fetching_;
    const int fetch = id * line_chunks_ + __builtin_ctz(fresh);
    fetches_[at(fetch)] = {fresh, ++asked_};
    return fetch;
  }
  /// The fetch of some of these chunks that was asked for last.
  int last(int id, ChunkMask chunks) const;
  void close(int id) { file_.close(id); }
  void close_all() { file_.close_all(); }

  /// What the fetch has asked for is here: those leave who now have all. After the last fetch of a line its
  /// register is free.
  AccessFifo arrive(int fetch);

 private:
  struct Fetch {
    ChunkMask chunks = 0;  // 0: not under way
    std::uint64_t order = 0;
  };
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }

  MshrFile file_;
  int line_chunks_;
  int fetching_ = 0;
  std::uint64_t asked_ = 0;
  std::vector<ChunkMask> under_way_;  // by register
  std::vector<Fetch> fetches_;        // by register and first chunk
};

}  // namespace strata
