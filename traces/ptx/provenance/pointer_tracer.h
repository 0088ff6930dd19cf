#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "traces/ptx/provenance/known_values.h"
#include "traces/ptx/provenance/provenance.h"

namespace strata::traces::ptx {

/// Stores, reductions and atomics.
inline bool writes_memory(const Flow& f) {
  return f.memory == Flow::Memory::store || f.op.op_class == OpClass::atomic ||
         f.op.op_class == OpClass::shared_store;
}

/// Sets of origins per register and per word of local memory, to a fixpoint.
class PointerTracer {
 public:
  explicit PointerTracer(const DecodedKernel& kernel);
  Provenance run();

 private:
  static constexpr std::size_t most_origins = 60;

  OriginSet origin(Origin::Kind kind, std::uint32_t index, std::uint32_t offset);
  OriginSet parameter_origin(std::uint64_t offset);
  OriginSet set_of(Row row) const;
  OriginSet address(const Flow& f) const;
  bool wide(const Flow& f) const;
  OriginSet stored(const Flow& f) const;
  OriginSet loaded(const Flow& f);
  OriginSet packed(const Flow& f) const;
  OriginSet computed(const Flow& f) const;
  void store_locally(const Flow& f);
  void wake(std::uint32_t flow);
  void settle();
  void collect(const Flow& f);

  const DecodedKernel& kernel_;
  KnownValues values_;
  std::vector<OriginSet> of_;                      ///< by register
  std::vector<std::vector<std::uint32_t>> users_;  ///< operations that read the register
  std::vector<std::uint32_t> register_at_;         ///< by row / 64
  std::map<std::uint32_t, OriginSet> rows_;        ///< constant rows that hold pointers
  std::vector<OriginSet> local_;                   ///< by word of local memory
  OriginSet somewhere_local_ = 0, all_local_ = 0;  ///< stored at unknown places; stored anywhere
  std::vector<std::uint32_t> local_loads_;
  std::vector<std::uint8_t> waiting_;
  std::deque<std::uint32_t> queue_;
  Provenance found_;
};

}  // namespace strata::traces::ptx
