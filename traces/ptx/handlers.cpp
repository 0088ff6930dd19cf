#include "traces/ptx/handlers.h"

#include <cstdlib>
#include <unordered_map>

namespace strata::traces::ptx {
namespace {

bool wide() {
#if defined(__x86_64__) && defined(STRATA_PTX_HAS_AVX2)
  // STRATA_PTX_BASELINE compares both in tests and measurements.
  return std::getenv("STRATA_PTX_BASELINE") == nullptr && __builtin_cpu_supports("avx2") &&
         __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

const std::unordered_map<std::string, const HandlerEntry*>& table() {
  static const auto* const all = [] {
    auto* map = new std::unordered_map<std::string, const HandlerEntry*>();
    std::vector<HandlerTable> tables = {scalar_handlers(), rounded_handlers(), atomic_handlers(),
                                        half_handlers()};
#ifdef STRATA_PTX_HAS_AVX2
    if (wide()) {
      tables.push_back(avx2::vector_handlers());
      tables.push_back(avx2::memory_handlers());
    }
#endif
    if (!wide()) {
      tables.push_back(baseline::vector_handlers());
      tables.push_back(baseline::memory_handlers());
    }
    for (const HandlerTable& t : tables)
      for (std::size_t i = 0; i < t.count; ++i) map->emplace(t.entries[i].key, &t.entries[i]);
    return map;
  }();
  return *all;
}

}  // namespace

const HandlerEntry* find_handler(const std::string& key) {
  const auto found = table().find(key);
  return found == table().end() ? nullptr : found->second;
}

std::vector<std::string> handler_keys() {
  std::vector<std::string> keys;
  for (const auto& entry : table()) keys.push_back(entry.first);
  return keys;
}

const char* instruction_set() {
  return wide() ? "avx2" : "baseline";
}

}  // namespace strata::traces::ptx
