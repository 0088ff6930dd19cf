#include "models/common/faults.h"
#include "traces/ptx/provenance/provenance.h"

namespace strata::traces::ptx {
namespace {

using Kind = TracedAccess::Kind;

bool single(OriginSet set) {
  return set != 0 && (set & (set - 1)) == 0;
}

}  // namespace

Verdict::Verdict(const DecodedKernel& kernel) : found_(trace_pointers(kernel)) {
  find_numbers();
  spoilers_.assign(found_.origins.size(), nullptr);
  for (const TracedAccess& a : found_.accesses) {
    if (a.kind != Kind::escape) pointers_ |= pointers_of(a) & device_origins;
    if (a.kind == Kind::load) continue;
    const OriginSet reached = pointers_of(a);
    const bool lost = (reached & device_origins) == 0 || (reached & from_nowhere) != 0;
    if (a.kind != Kind::escape && lost && anywhere_ == nullptr) anywhere_ = &a;
    for (std::size_t n = 0; n < spoilers_.size(); ++n)
      if ((reached >> n & 1) != 0 && spoilers_[n] == nullptr) spoilers_[n] = &a;
  }
  for (std::size_t n = 0; n < spoilers_.size(); ++n) {
    if (spoilers_[n] == nullptr) spoilers_[n] = anywhere_;
    if (spoilers_[n] != nullptr) spoiled_ |= OriginSet{1} << n;
  }
}

/// A 64-bit parameter that is never certainly a pointer, and whenever it is part of an address there is
/// exactly one certain pointer beside it, is a number that is added to that pointer.
void Verdict::find_numbers() {
  OriginSet sure = 0, alone = 0, used = 0;
  for (std::size_t n = 0; n < found_.origins.size(); ++n)
    if (found_.origins[n].pointer) sure |= OriginSet{1} << n;
  for (const TracedAccess& a : found_.accesses) {
    if (a.kind == Kind::escape) continue;
    used |= a.origins & device_origins;
    if (!single(a.origins & sure)) alone |= a.origins & device_origins;
  }
  numbers_ = device_origins & ~sure & ~alone & used;
  numbers_ |= device_origins & ~sure & ~used;  // never part of an address
}

const TracedAccess* Verdict::spoiler(std::size_t n) const {
  return spoilers_[n];
}

bool Verdict::proved(const TracedAccess& load) const {
  const OriginSet from = pointers_of(load);
  return load.kind == Kind::load && (from & device_origins) != 0 && (from & ~device_origins) == 0 &&
         (from & spoiled_) == 0;
}

void check_marked_loads(const DecodedKernel& kernel) {
  bool any = false;
  for (const Flow& f : kernel.flow) any = any || (f.op.flags & never_written) != 0;
  if (!any) return;
  const Verdict verdict(kernel);
  for (const TracedAccess& a : verdict.provenance().accesses) {
    const Instruction& load = *kernel.code[a.pc];
    if (a.kind != Kind::load || !load.has("ro")) continue;
    for (std::size_t n = 0; n < verdict.provenance().origins.size(); ++n) {
      const TracedAccess* spoiler = verdict.spoiler(n);
      if ((verdict.pointers_of(a) >> n & 1) == 0 || spoiler == nullptr) continue;
      if (spoiler->kind == Kind::escape || (verdict.pointers_of(*spoiler) >> n & 1) == 0) continue;
      const Instruction& store = *kernel.code[spoiler->pc];
      throw TraceError(Fault{{kernel.module->path, load.line, 0},
                             "kernel " + kernel.function->name + ": " + load.spelling() +
                                 ": the kernel writes " +
                                 origin_name(kernel, verdict.provenance().origins[n]) + ", with " +
                                 store.spelling() + " in line " + std::to_string(store.line)});
    }
  }
}

std::string origin_name(const DecodedKernel& kernel, const Origin& origin) {
  if (origin.kind == Origin::Kind::variable) return kernel.module->variables[origin.index].name;
  const Variable& v = kernel.function->variables[kernel.function->parameters[origin.index]];
  return v.bytes <= 8 ? v.name : v.name + "+" + std::to_string(origin.offset);
}

}  // namespace strata::traces::ptx
