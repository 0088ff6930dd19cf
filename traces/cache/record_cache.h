#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "traces/record/record_source.h"

namespace strata::traces {

/// Records of what was read or interpreted before, by the content of what they were made from: a folder of
/// record files KEY.strata. Several processes may use it at once. Trouble is told, never thrown: without a
/// cache everything takes longer, and is the same.
class RecordCache {
 public:
  static constexpr std::uint64_t default_limit = std::uint64_t{4} << 30;

  struct Entry {
    std::string key, source;  ///< what it was made from; empty: damaged
    std::uint64_t bytes = 0, warp_instructions = 0;
    std::int64_t used = 0;  ///< seconds since 1970
  };
  using Say = std::function<void(const std::string&)>;

  /// `say` takes one line for the user, from any thread.
  RecordCache(std::string folder, Say say);
  /// STRATA_CACHE, else strata in XDG_CACHE_HOME or ~/.cache; empty when STRATA_CACHE is `off` or there is no
  /// home.
  static std::string default_folder();

  const std::string& folder() const { return folder_; }
  std::string path(const std::string& key) const { return folder_ + "/" + key + ".strata"; }
  void say(const std::string& line) const { say_(line); }

  /// A record that is sound to its last byte, now the last one used; null when there is none. A damaged one
  /// is told and goes.
  std::unique_ptr<RecordSource> find(const std::string& key) const;
  /// Whether a record can be written. Tells why not.
  bool prepare() const;
  /// The longest unused ones go until the others take no more than the limit, and what writers left that
  /// died.
  void trim() const;

  /// The longest unused first.
  std::vector<Entry> entries(bool with_sources) const;
  std::uint64_t limit() const;
  /// Of this folder, from now on. Throws ConfigError.
  void set_limit(std::uint64_t bytes) const;
  /// Throws ConfigError.
  void clear() const;

 private:
  void collect_drafts() const;

  std::string folder_;
  Say say_;
};

}  // namespace strata::traces
