#include "traces/ptx/provenance/provenance.h"

#include <algorithm>
#include <cstring>

#include "models/common/faults.h"

namespace strata::traces::ptx {
namespace {

constexpr int most_rounds = 8;  ///< limit of a chain of sums; longer ones stay unknown

}  // namespace

KnownValues::KnownValues(const DecodedKernel& kernel)
    : kernel_(kernel), known_(kernel.words.size(), 0), value_(kernel.words.size(), 0) {
  for (const Patch& p : kernel.patches) patched_.insert(p.offset);
  register_at_.assign(kernel.register_bytes / 64 + 1, 0);
  for (std::uint32_t r = 0; r < kernel.register_rows.size(); ++r)
    register_at_[kernel.register_rows[r] / 64] = r;
  std::vector<std::uint32_t> writers(kernel.words.size(), 0);
  for (const Flow& f : kernel.flow)
    for (const std::uint32_t r : f.writes) ++writers[r];
  std::vector<const Flow*> sums;  // registers with one writer have its value, or none
  for (const Flow& f : kernel.flow)
    if (f.writes.size() == 1 && writers[f.writes[0]] == 1 && f.memory == Flow::Memory::none)
      sums.push_back(&f);
  for (int round = 0; round < most_rounds; ++round) {
    bool changed = false;
    for (const Flow* f : sums) {
      const std::uint32_t r = f->writes[0];
      if (known_[r] != 0 || !evaluate(*f, value_[r])) continue;
      known_[r] = 1;
      changed = true;
    }
    if (!changed) break;
  }
}

bool KnownValues::constant(Row row, std::uint32_t bytes, std::uint64_t& value) const {
  if (row == no_row || (row & 1) == 0 || patched_.count(row & ~Row{1}) != 0) return false;
  const std::size_t at = row & ~Row{1};
  if (at + 2 * bytes > kernel_.constants.size()) return false;
  std::uint64_t second = value = 0;
  std::memcpy(&value, &kernel_.constants[at], bytes);
  std::memcpy(&second, &kernel_.constants[at + bytes], bytes);
  return value == second;  // lane numbers and masks differ in the first two lanes
}

bool KnownValues::value(Row row, std::uint32_t bytes, std::uint64_t& value) const {
  if (row == no_row) return false;
  if ((row & 1) != 0) return constant(row, bytes, value);
  const std::uint32_t r = register_at_[row / 64];
  if (known_[r] == 0) return false;
  value = value_[r];
  return true;
}

bool KnownValues::evaluate(const Flow& f, std::uint64_t& value) const {
  const Instruction& i = *kernel_.code[f.op.pc];
  const bool sum = i.opcode == "add" || i.opcode == "sub" || i.opcode == "cvta";
  const bool widens =
      i.opcode == "cvt" && i.suffix.size() == 2 && i.suffix[0] == "u64" && i.suffix[1] == "u32";
  const bool short_type = !i.suffix.empty() && i.suffix.back().find("16") != std::string::npos;
  if (short_type || (!sum && !widens && i.opcode != "mov") || f.op.rows != nullptr || f.op.c != no_row)
    return false;
  const std::uint32_t words = kernel_.words[f.writes[0]];
  if (words == 0) return false;
  const std::uint32_t bytes = widens ? 4 : words * 4;
  std::uint64_t a = 0, b = 0;
  if (!this->value(f.op.a, bytes, a)) return false;
  if (f.op.b != no_row && !this->value(f.op.b, bytes, b)) return false;
  const bool minus = i.opcode == "sub" || (i.opcode == "cvta" && i.has("to"));
  value = minus ? a - b : a + b;
  if (words == 1) value &= 0xffffffff;
  return true;
}

bool KnownValues::address(const Flow& f, std::uint64_t& at) const {
  if (!value(f.op.a, f.op.address_bytes, at)) return false;
  at += static_cast<std::uint64_t>(f.op.offset);
  return true;
}

namespace {

bool may_be_global(const Op& op, OriginSet address) {
  if (op.space == Space::global) return true;
  if (op.space != Space::generic) return false;
  return (address & (device_origins | from_nowhere)) != 0;
}

}  // namespace

PointerTracer::PointerTracer(const DecodedKernel& kernel)
    : kernel_(kernel), values_(kernel), of_(kernel.words.size(), 0), users_(kernel.words.size()) {
  register_at_.assign(kernel.register_bytes / 64 + 1, 0);
  for (std::uint32_t r = 0; r < kernel.register_rows.size(); ++r)
    register_at_[kernel.register_rows[r] / 64] = r;
  local_.assign(kernel.local_bytes / 4 + 1, 0);
  for (const Patch& p : kernel.patches) {
    if (p.kind == Patch::Kind::symbol && kernel.module->variables[p.index].space == Space::global)
      rows_[p.offset] = origin(Origin::Kind::variable, p.index, 0);
    else if (p.kind == Patch::Kind::parameter)
      rows_[p.offset] = parameter_origin(p.value);
  }
  for (std::uint32_t i = 0; i < kernel.flow.size(); ++i) {
    const Flow& f = kernel.flow[i];
    for (const std::uint32_t r : f.reads) users_[r].push_back(i);
    if (f.memory == Flow::Memory::load && (f.op.space == Space::local || f.op.space == Space::generic))
      local_loads_.push_back(i);
  }
}

OriginSet PointerTracer::origin(Origin::Kind kind, std::uint32_t index, std::uint32_t offset) {
  for (std::size_t n = 0; n < found_.origins.size(); ++n) {
    const Origin& o = found_.origins[n];
    if (o.kind == kind && o.index == index && o.offset == offset) return OriginSet{1} << n;
  }
  if (found_.origins.size() >= most_origins) return from_nowhere;
  Origin o{kind, index, offset, kind == Origin::Kind::variable};
  if (kind == Origin::Kind::parameter)
    o.pointer = kernel_.function->variables[kernel_.function->parameters[index]].pointer;
  found_.origins.push_back(o);
  return OriginSet{1} << (found_.origins.size() - 1);
}

OriginSet PointerTracer::parameter_origin(std::uint64_t offset) {
  for (std::uint32_t p = 0; p < kernel_.parameter_offsets.size(); ++p) {
    const Variable& v = kernel_.function->variables[kernel_.function->parameters[p]];
    const std::uint64_t inside = offset - kernel_.parameter_offsets[p];
    if (inside >= v.bytes) continue;
    if (v.bytes < 8) return 0;  // too small for a pointer
    return origin(Origin::Kind::parameter, p, static_cast<std::uint32_t>(inside & ~std::uint64_t{7}));
  }
  return 0;
}

OriginSet PointerTracer::set_of(Row row) const {
  if (row == no_row) return 0;
  if ((row & 1) == 0) return of_[register_at_[row / 64]];
  const auto found = rows_.find(row & ~Row{1});
  if (found != rows_.end()) return found->second;
  std::uint64_t value = 0;
  if (!values_.constant(row, 8, value)) return 0;
  return value == shared_window ? from_shared : value == local_window ? from_local : 0;
}

OriginSet PointerTracer::address(const Flow& f) const {
  OriginSet set = set_of(f.op.a) & ~from_part;
  std::uint64_t at = 0;
  if (f.op.space == Space::generic && values_.address(f, at) && at - local_window < window_bytes)
    return from_local;
  const bool known = (set & device_origins) != 0 ||
                     (f.op.space == Space::generic && (set & (from_local | from_shared)) != 0);
  return known ? set : set | from_nowhere;
}

bool PointerTracer::wide(const Flow& f) const {
  return std::any_of(f.writes.begin(), f.writes.end(),
                     [&](std::uint32_t r) { return kernel_.words[r] == 2; });
}

OriginSet PointerTracer::stored(const Flow& f) const {
  if (f.op.rows == nullptr) return set_of(f.op.b) | set_of(f.op.c);
  OriginSet set = 0;
  for (std::uint32_t n = 0; n < f.op.count; ++n) set |= set_of(f.op.rows[n]);
  return set;
}

OriginSet PointerTracer::loaded(const Flow& f) {
  const OriginSet unknown = wide(f) ? from_nowhere : from_part;
  std::uint64_t at = 0;
  const bool known = values_.address(f, at);
  if (f.op.space == Space::param) {
    if (!known) return unknown;
    OriginSet set = 0;
    for (std::uint32_t n = 0; n < f.op.count; ++n) set |= parameter_origin(at + n * f.op.width);
    return set;
  }
  if (f.op.space != Space::local && f.op.space != Space::generic) return unknown;
  const OriginSet from = f.op.space == Space::local ? from_local : address(f);
  if ((from & (from_local | from_nowhere)) == 0) return unknown;
  OriginSet set = from == from_local ? 0 : unknown;
  if (f.op.space == Space::generic) at -= local_window;
  const std::uint64_t bytes = std::uint64_t{f.op.width} * f.op.count;
  if (!known || at > kernel_.local_bytes || bytes > kernel_.local_bytes - at) return set | all_local_;
  for (std::uint64_t word = at / 4; word <= (at + bytes - 1) / 4; ++word) set |= local_[word];
  return set | somewhere_local_;
}

OriginSet PointerTracer::packed(const Flow& f) const {
  OriginSet all = 0;
  bool pointer = false, number = false, parts = true;
  for (std::uint32_t n = 0; n < f.op.count; ++n) {
    const OriginSet part = set_of(f.op.rows[n]);
    all |= part;
    ((part & ~from_part) != 0 ? pointer : number) = true;
    parts = parts && (part & from_part) != 0;
  }
  // Half a pointer and another value, or a pointer that was stored in halves.
  return (pointer && number) || (number && parts) ? all | from_nowhere : all;
}

OriginSet PointerTracer::computed(const Flow& f) const {
  static const std::vector<std::string> indices = {"bfind", "clz", "div", "mul", "mul24",
                                                   "popc",  "rem", "set", "shl", "shr"};
  const std::string& opcode = kernel_.code[f.op.pc]->opcode;
  if (std::find(indices.begin(), indices.end(), opcode) != indices.end()) return 0;
  if (opcode == "mad" || opcode == "mad24" || opcode == "madc") return set_of(f.op.c);
  if (opcode == "selp") return set_of(f.op.a) | set_of(f.op.b);
  if (f.op.rows != nullptr && f.writes.size() == 1 && (f.op.a == no_row)) return packed(f);
  OriginSet set = 0;  // predicates, such as the guard, have empty sets
  for (const Row row : {f.op.a, f.op.b, f.op.c})
    if (row != no_row && (row & 1) != 0) set |= set_of(row);
  for (const std::uint32_t r : f.reads) set |= of_[r];
  return set;
}

void PointerTracer::store_locally(const Flow& f) {
  OriginSet where = from_local;
  if (f.op.space == Space::generic) where = address(f);
  if (f.op.space != Space::local &&
      (f.op.space != Space::generic || (where & (from_local | from_nowhere)) == 0))
    return;
  std::uint64_t at = 0;
  const OriginSet before = all_local_ | somewhere_local_;
  const bool known = values_.address(f, at);
  if (f.op.space == Space::generic) at -= local_window;
  bool changed = false;
  if (known && where == from_local && at <= kernel_.local_bytes) {
    for (std::uint32_t n = 0; n < f.op.count; ++n) {
      const OriginSet value = f.op.rows != nullptr ? set_of(f.op.rows[n]) : stored(f);
      for (std::uint32_t byte = 0; byte < f.op.width; byte += 4) {
        const std::uint64_t word = (at + n * f.op.width + byte) / 4;
        if (word >= local_.size() || (local_[word] | value) == local_[word]) continue;
        local_[word] |= value;
        changed = true;
      }
      all_local_ |= value;
    }
  } else {
    somewhere_local_ |= stored(f);
    all_local_ |= stored(f);
  }
  if (changed || before != (all_local_ | somewhere_local_))
    for (const std::uint32_t load : local_loads_) wake(load);
}

void PointerTracer::wake(std::uint32_t flow) {
  if (waiting_[flow] != 0) return;
  waiting_[flow] = 1;
  queue_.push_back(flow);
}

void PointerTracer::settle() {
  waiting_.assign(kernel_.flow.size(), 0);
  for (std::uint32_t i = 0; i < kernel_.flow.size(); ++i) wake(i);
  while (!queue_.empty()) {
    const std::uint32_t i = queue_.front();
    queue_.pop_front();
    waiting_[i] = 0;
    const Flow& f = kernel_.flow[i];
    if (writes_memory(f)) store_locally(f);
    const OriginSet set = f.memory == Flow::Memory::load ? loaded(f)
                          : writes_memory(f)             ? (wide(f) ? from_nowhere : from_part)
                                                         : computed(f);
    for (const std::uint32_t r : f.writes) {
      if (kernel_.words[r] == 0 || (of_[r] | set) == of_[r]) continue;
      of_[r] |= set;
      for (const std::uint32_t user : users_[r]) wake(user);
    }
  }
}

void PointerTracer::collect(const Flow& f) {
  const Instruction& i = *kernel_.code[f.op.pc];
  if (i.opcode == "cvta") {
    const OriginSet set = set_of(f.op.a) & device_origins;
    if (set != 0 && (set & (set - 1)) == 0)
      found_.origins[static_cast<std::size_t>(__builtin_ctzll(set))].pointer = true;
    return;
  }
  using Kind = TracedAccess::Kind;
  if (f.memory != Flow::Memory::load && !writes_memory(f)) return;
  const OriginSet where = address(f);
  const bool global = may_be_global(f.op, where);
  if (f.memory == Flow::Memory::load) {
    if (global) found_.accesses.push_back({Kind::load, f.op.pc, where});
    return;
  }
  const bool atomic = i.opcode == "atom" || i.opcode == "red";
  if (global) found_.accesses.push_back({atomic ? Kind::atomic : Kind::store, f.op.pc, where});
  const bool stays = f.op.space == Space::local || where == from_local;
  if (!stays && (stored(f) & device_origins) != 0 && f.op.width == 8)
    found_.accesses.push_back({Kind::escape, f.op.pc, stored(f) & device_origins});
}

Provenance PointerTracer::run() {
  settle();
  for (const Flow& f : kernel_.flow) collect(f);
  return std::move(found_);
}

Provenance trace_pointers(const DecodedKernel& kernel) {
  return PointerTracer(kernel).run();
}

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

/// A 64-bit parameter is a number added to a pointer, if it is never certainly a pointer and every address
/// that contains it contains exactly one certain pointer.
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
