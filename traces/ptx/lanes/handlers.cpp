#include "traces/ptx/lanes/handlers.h"

#include <cstdlib>
#include <unordered_map>

namespace strata::traces::ptx {
namespace {

bool has_avx2() {
#if defined(__x86_64__) && defined(STRATA_PTX_HAS_AVX2)
  // Tests and measurements set STRATA_PTX_BASELINE to compare both.
  return std::getenv("STRATA_PTX_BASELINE") == nullptr && __builtin_cpu_supports("avx2") &&
         __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

}  // namespace

/// The handlers of this machine by key.
class HandlerTable {
 public:
  void add(const HandlerEntry* rows, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) by_key_.emplace(rows[i].key.text, &rows[i]);
  }
  static const HandlerTable& get() {
    static const auto* const table = new HandlerTable();  // never destroyed: that would only cost time
    return *table;
  }
  const std::unordered_map<std::string, const HandlerEntry*>& by_key() const { return by_key_; }

 private:
  HandlerTable() {
    for (const auto part :
         {add_warp_wide, add_rare, add_rounded, add_half, add_atomic, add_async, add_textures, add_matrices})
      part(*this);
#ifdef STRATA_PTX_HAS_AVX2
    if (has_avx2()) {
      for (const auto part :
           {avx2::add_integer, avx2::add_real, avx2::add_memory, avx2::add_tensor, avx2::add_group_tensor})
        part(*this);
      return;
    }
#endif
    for (const auto part : {baseline::add_integer, baseline::add_real, baseline::add_memory,
                            baseline::add_tensor, baseline::add_group_tensor})
      part(*this);
  }

  std::unordered_map<std::string, const HandlerEntry*> by_key_;
};

void add_rows(HandlerTable& table, const HandlerEntry* rows, std::size_t count) {
  table.add(rows, count);
}

const HandlerEntry* find_handler(const std::string& key) {
  const auto& all = HandlerTable::get().by_key();
  const auto found = all.find(key);
  return found == all.end() ? nullptr : found->second;
}

std::vector<std::string> handler_keys() {
  std::vector<std::string> keys;
  for (const auto& entry : HandlerTable::get().by_key()) keys.push_back(entry.first);
  return keys;
}

const char* instruction_set() {
  return has_avx2() ? "avx2" : "baseline";
}

}  // namespace strata::traces::ptx
