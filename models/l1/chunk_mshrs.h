#pragma once

#include <cstdint>
#include <vector>

#include "models/cache/mshr_file.h"

namespace strata {

/// Some chunks of a line: bit i is chunk i.
using ChunkMask = std::uint16_t;

/// Chunks of a line, at most sixteen: the builtin is a library call on plain x86-64.
inline unsigned chunk_count(ChunkMask chunks) {
  unsigned sum = chunks - (chunks >> 1 & 0x5555U);
  sum = (sum & 0x3333) + (sum >> 2 & 0x3333);
  sum = (sum + (sum >> 4)) & 0x0f0f;
  return (sum + (sum >> 8)) & 0x1f;
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

  MshrFile& file() { return file_; }
  int find(std::uint64_t number) const { return file_.find(number); }
  bool has_stale(std::uint64_t number) const { return file_.has_stale(number); }
  bool full() const { return file_.full(); }
  bool can_join(int id) const { return file_.can_merge(id); }
  ChunkMask under_way(int id) const { return under_way_[at(id)]; }
  std::uint64_t number(int fetch) const { return file_.number(fetch / line_chunks_); }
  std::uint32_t set(int fetch) const { return file_.set(fetch / line_chunks_); }
  bool closed(int fetch) const { return file_.closed(fetch / line_chunks_); }
  ChunkMask chunks(int fetch) const { return fetches_[at(fetch)].chunks; }
  std::uint64_t ways(int fetch) const { return fetches_[at(fetch)].ways; }

  int allocate(std::uint64_t number, std::uint32_t set, Access& access, ChunkMask missing) {
    access.tag = missing;
    return file_.allocate(number, access, set);
  }
  void join(int id, Access& access, ChunkMask missing) {
    access.tag = missing;
    file_.merge(id, access);
  }
  /// Requests chunks that are not requested yet, which will lie in these ways: the number of the
  /// fetch.
  int ask(int id, ChunkMask fresh, std::uint64_t ways) {
    under_way_[at(id)] |= fresh;
    ++fetching_;
    const int fetch = id * line_chunks_ + __builtin_ctz(fresh);
    fetches_[at(fetch)] = {fresh, ++asked_, ways};
    return fetch;
  }
  /// The fetch of some of these chunks that was asked for last.
  int last(int id, ChunkMask chunks) const;
  void close(int id) { file_.close(id); }
  void make_all_stale() { file_.make_all_stale(); }

  /// What the fetch has asked for is here: those leave who now have all. After the last fetch of a line its
  /// register is free.
  AccessFifo arrive(int fetch) {
    const int id = fetch / line_chunks_;
    const ChunkMask chunks = fetches_[at(fetch)].chunks;
    fetches_[at(fetch)].chunks = 0;
    --fetching_;
    under_way_[at(id)] &= static_cast<ChunkMask>(~chunks);
    if (under_way_[at(id)] != 0) return leave(id, chunks);
    const AccessFifo all = file_.release(id);  // no access waits for anything else
    for (Access* one = all.empty() ? nullptr : &all.front(); one != nullptr; one = one->next) one->tag = 0;
    return all;
  }

 private:
  struct Fetch {
    ChunkMask chunks = 0;  // 0: not under way
    std::uint64_t order = 0;
    std::uint64_t ways = 0;
  };
  /// Of a line of which more is to come: those who have all that they miss with these chunks.
  AccessFifo leave(int id, ChunkMask chunks);
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }

  MshrFile file_;
  int line_chunks_;
  int fetching_ = 0;
  std::uint64_t asked_ = 0;
  std::vector<ChunkMask> under_way_;  // by register
  std::vector<Fetch> fetches_;        // by register and first chunk
};

}  // namespace strata
