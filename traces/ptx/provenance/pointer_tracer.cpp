#include <algorithm>

#include "traces/ptx/provenance/provenance.h"

namespace strata::traces::ptx {
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
  // Half a pointer and something else, or a pointer that was stored in halves.
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
  OriginSet set = 0;  // registers that are read include the guard and other predicates: their sets are empty
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

}  // namespace strata::traces::ptx
