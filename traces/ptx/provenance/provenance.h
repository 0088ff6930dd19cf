#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "traces/ptx/decode/decoded_kernel.h"

/// Origins of the addresses that a kernel accesses.
namespace strata::traces::ptx {

/// Origin of a pointer: 8 bytes of a parameter, or a `.global` variable.
struct Origin {
  enum class Kind : std::uint8_t { parameter, variable } kind = Kind::parameter;
  std::uint32_t index = 0;   ///< parameter: its position; variable: of the module
  std::uint32_t offset = 0;  ///< parameter: of the 8 bytes inside it
  bool pointer = false;      ///< certainly a pointer: a variable, `.ptr`, or converted by cvta
};

/// One bit per origin, and the bits below.
using OriginSet = std::uint64_t;
constexpr OriginSet from_nowhere = OriginSet{1} << 63;  ///< loaded from memory, or computed without a pointer
constexpr OriginSet from_local = OriginSet{1} << 62, from_shared = OriginSet{1} << 61;
constexpr OriginSet from_part =
    OriginSet{1} << 60;  ///< perhaps half a pointer: loaded with 32 bits or fewer; not in addresses
constexpr OriginSet device_origins = from_part - 1;

struct TracedAccess {
  enum class Kind : std::uint8_t { load, store, atomic, escape } kind = Kind::load;
  std::uint32_t pc = 0;   ///< index of DecodedKernel::code
  OriginSet origins = 0;  ///< of the address; of an escape: of the stored pointer
};

struct Provenance {
  std::vector<Origin> origins;
  std::vector<TracedAccess> accesses;  ///< accesses that may touch global memory, and escapes; ascending PC
};

/// Flow-insensitive analysis to a fixpoint. It follows 64-bit values and their halves through moves, sums,
/// addends of mad, bit operations, selects, loops, packing, local memory, parameters in memory and arguments
/// of calls. Products, quotients and shifts are indices, not pointers. Sound for programs whose pointers stay
/// inside the object that they are made from, as C++ demands; docs/guide/ptx.md says what that excludes.
Provenance trace_pointers(const DecodedKernel& kernel);

/// Registers with one value in every launch: mostly addresses of local and parameter memory.
class KnownValues {
 public:
  explicit KnownValues(const DecodedKernel& kernel);
  /// The value of a constant row that is equal in all lanes and launches.
  bool constant(Row row, std::uint32_t bytes, std::uint64_t& value) const;
  /// The address of a memory operation.
  bool address(const Flow& f, std::uint64_t& value) const;

 private:
  bool value(Row row, std::uint32_t bytes, std::uint64_t& value) const;
  bool evaluate(const Flow& f, std::uint64_t& value) const;

  const DecodedKernel& kernel_;
  std::unordered_set<std::uint32_t> patched_;  ///< constant rows that depend on the launch
  std::vector<std::uint32_t> register_at_;     ///< by row / 64
  std::vector<std::uint8_t> known_;
  std::vector<std::uint64_t> value_;
};

/// Stores, reductions and atomics.
inline bool writes_memory(const Flow& f) {
  return f.memory == Flow::Memory::store || f.op.op_class == OpClass::atomic ||
         f.op.op_class == OpClass::shared_store;
}

/// Sets of origins per register and per word of local memory, computed to a fixpoint.
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
  OriginSet somewhere_local_ = 0, all_local_ = 0;  ///< stored at unknown addresses; stored anywhere
  std::vector<std::uint32_t> local_loads_;
  std::vector<std::uint8_t> waiting_;
  std::deque<std::uint32_t> queue_;
  Provenance found_;
};

/// Which pointers of a kernel are read-only in every launch, from the provenance of its accesses.
class Verdict {
 public:
  explicit Verdict(const DecodedKernel& kernel);

  const Provenance& provenance() const { return found_; }
  /// Origins whose data the kernel loads or stores, without numbers that are only added to pointers.
  OriginSet pointers() const { return pointers_; }
  OriginSet read_only() const { return pointers_ & ~spoiled_; }
  /// The access that makes origin `n` writable; null: none.
  const TracedAccess* spoiler(std::size_t n) const;
  /// True if nothing in the kernel writes the loaded data.
  bool proved(const TracedAccess& load) const;
  /// A store to an unknown address; null: none.
  const TracedAccess* anywhere() const { return anywhere_; }
  /// Origins of an access, without the numbers.
  OriginSet pointers_of(const TracedAccess& access) const { return access.origins & ~numbers_; }

 private:
  void find_numbers();

  Provenance found_;
  OriginSet numbers_ = 0, pointers_ = 0, spoiled_ = 0;
  std::vector<const TracedAccess*> spoilers_;
  const TracedAccess* anywhere_ = nullptr;
};

/// `x`, or `x+8` inside a structure.
std::string origin_name(const DecodedKernel& kernel, const Origin& origin);

/// Throws TraceError if a `ld.global.ro` of the kernel loads data that the kernel writes.
void check_marked_loads(const DecodedKernel& kernel);

}  // namespace strata::traces::ptx
