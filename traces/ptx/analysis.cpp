#include "traces/ptx/analysis.h"

#include "traces/ptx/handlers.h"

namespace strata::traces::ptx {
namespace {

constexpr std::size_t most_origins = 62;

bool writes_memory(const Flow& f) {
  return f.memory == Flow::Memory::store || f.op.op_class == OpClass::atomic ||
         f.op.op_class == OpClass::shared_store;
}
bool may_be_global(const Op& op) {
  return op.space == Space::global || op.space == Space::generic;
}

class Tracer {
 public:
  explicit Tracer(const DecodedKernel& kernel) : kernel_(kernel), of_(kernel.words.size(), 0) {
    for (const Patch& p : kernel.patches) {
      const bool pointer =
          p.kind == Patch::Kind::symbol || (p.kind == Patch::Kind::parameter && p.index == 8 && p.bytes == 8);
      if (!pointer) continue;
      if (found_.origin_rows.size() < most_origins) {
        origin_[p.offset] = std::uint64_t{1} << found_.origin_rows.size();
        found_.origin_rows.push_back(p.offset);
      } else {
        origin_[p.offset] = Provenance::unknown;
      }
    }
    for (const char* key : {"pack.lw", "pack.lh"}) packs_.push_back(find_handler(key)->handler);
  }

  Provenance run() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const Flow& f : kernel_.flow) {
        const std::uint64_t set = result(f);
        for (const std::uint32_t r : f.writes) {
          if ((of_[r] | set) == of_[r]) continue;
          of_[r] |= set;
          changed = true;
        }
      }
    }
    for (const Flow& f : kernel_.flow) {
      if (!may_be_global(f.op)) continue;
      if (writes_memory(f))
        found_.stores.push_back(address(f));
      else if (f.memory == Flow::Memory::load)
        found_.loads[f.op.pc] = address(f);
    }
    return std::move(found_);
  }

 private:
  std::uint64_t constant(Row row) const {
    if ((row & 1) == 0) return 0;
    const auto found = origin_.find(row & ~Row{1});
    return found == origin_.end() ? 0 : found->second;
  }
  /// All that flows in; registers that are read include the address and, of a store, the value.
  std::uint64_t inputs(const Flow& f) const {
    std::uint64_t set = constant(f.op.a) | constant(f.op.b) | constant(f.op.c) | constant(f.op.d2);
    for (const std::uint32_t r : f.reads) set |= of_[r];
    return set;
  }
  std::uint64_t result(const Flow& f) const {
    if (f.memory == Flow::Memory::load || f.op.op_class == OpClass::atomic ||
        f.op.op_class == OpClass::shared_store)
      return wide(f) ? Provenance::unknown : 0;
    std::uint64_t set = inputs(f);
    for (const Handler pack : packs_)
      if (f.op.fn == pack) set |= Provenance::unknown;
    return set;
  }
  bool wide(const Flow& f) const {
    for (const std::uint32_t r : f.writes)
      if (kernel_.words[r] == 2) return true;
    return false;
  }
  /// Origins of the address: its register is the first that is read.
  std::uint64_t address(const Flow& f) const {
    return (f.op.a & 1) != 0 ? constant(f.op.a) : f.reads.empty() ? Provenance::unknown : of_[f.reads[0]];
  }

  const DecodedKernel& kernel_;
  std::vector<std::uint64_t> of_;
  std::map<std::uint32_t, std::uint64_t> origin_;
  std::vector<Handler> packs_;
  Provenance found_;
};

}  // namespace

Provenance trace_pointers(const DecodedKernel& kernel) {
  return Tracer(kernel).run();
}

}  // namespace strata::traces::ptx
