#include "traces/ptx/decode/operand_decoder.h"

#include <algorithm>
#include <cstring>

#include "models/common/faults.h"
#include "models/common/named.h"
#include "traces/ptx/decode/decoder.h"
#include "traces/ptx/lanes/handlers.h"

namespace strata::traces::ptx {
namespace {

std::uint32_t row_bytes(char kind) {
  return kind == 'l' ? 256 : kind == 'w' ? 128 : 64;
}
std::uint32_t lane_bytes(char kind) {
  return kind == 'l' ? 8 : kind == 'h' ? 2 : 4;
}

}  // namespace

std::uint32_t RowAllocator::new_register(char kind) {
  kinds_.push_back(kind);
  offsets_.push_back(register_bytes_);
  register_bytes_ += row_bytes(kind);
  if (register_bytes_ > (1u << 28))
    throw TraceError(Fault{{kernel_.module->path, kernel_.function->line, 0},
                           "kernel " + kernel_.function->name + ": too many registers"});
  return static_cast<std::uint32_t>(kinds_.size() - 1);
}

Row RowAllocator::constant(char kind, std::uint64_t value) {
  if (kind == 'p') value = value != 0 ? all_lanes : 0;
  const auto key = std::make_pair(kind, value);
  const auto found = constants_.find(key);
  if (found != constants_.end()) return found->second;
  const Row row = new_constant(kind);
  const std::size_t at = row & ~Row{1};
  const std::size_t size = lane_bytes(kind);
  for (std::size_t i = 0; i < 32 * size && i < row_bytes(kind); i += size)
    std::memcpy(&kernel_.constants[at + i], &value, size);
  constants_[key] = row;
  return row;
}

Row RowAllocator::new_constant(char kind) {
  const auto at = static_cast<Row>(kernel_.constants.size());
  kernel_.constants.resize(at + row_bytes(kind));
  return at | 1;
}

Row RowAllocator::patched(char kind, Patch patch) {
  const auto key = std::make_tuple(kind, static_cast<int>(patch.kind), patch.value, patch.index);
  const auto found = patches_.find(key);
  if (found != patches_.end()) return found->second;
  const Row row = new_constant(kind);
  patch.offset = row & ~Row{1};
  patch.bytes = lane_bytes(kind);
  kernel_.patches.push_back(patch);
  return patches_[key] = row;
}

Row RowAllocator::lanes(char kind, std::uint32_t (*value)(std::uint32_t)) {
  const Row row = new_constant(kind);
  for (std::uint32_t i = 0; i < 32; ++i) {
    const std::uint64_t v = value(i);
    std::memcpy(&kernel_.constants[(row & ~Row{1}) + i * (kind == 'l' ? 8 : 4)], &v, kind == 'l' ? 8 : 4);
  }
  return row;
}

namespace {

/// Special registers with the same value in all threads of a launch.
constexpr Named<Patch::Kind> of_launch[] = {{Patch::Kind::warps, "%nwarpid"},
                                            {Patch::Kind::dynamic_shared_bytes, "%dynamic_smem_size"},
                                            {Patch::Kind::all_shared_bytes, "%total_smem_size"},
                                            {Patch::Kind::cluster_ctarank, "%cluster_ctarank"},
                                            {Patch::Kind::cluster_nctarank, "%cluster_nctarank"},
                                            {Patch::Kind::grid_high, "%envreg1"},
                                            {Patch::Kind::grid_low, "%envreg2"}};

}  // namespace

std::uint32_t OperandDecoder::place(std::uint32_t& top, const Variable& v, std::uint64_t most,
                                    const char* what) {
  const std::uint64_t align = std::max<std::uint32_t>(v.align, 1);
  const std::uint64_t at = (top + align - 1) / align * align;
  if (at + v.bytes > most) fail_line(v.line, std::string("too much ") + what + " memory");
  top = static_cast<std::uint32_t>(at + v.bytes);
  return static_cast<std::uint32_t>(at);
}

/// Aligns shared arrays to 16 B in kernels that access 16 B at once, to 8 B for copies of 8. The assembler
/// behind PTX does the same: programs copy 16 B into arrays of 4 B elements.
std::uint32_t OperandDecoder::shared_offset(const Variable& v) {
  if (v.bytes == 0) fail_line(v.line, "dynamic shared memory has no address here");
  const auto found = places_.find(&v);
  if (found != places_.end()) return found->second;
  if (v.bytes >= wide_shared_ && v.align < wide_shared_)
    shared_bytes_ = (shared_bytes_ + wide_shared_ - 1) / wide_shared_ * wide_shared_;
  return places_[&v] = place(shared_bytes_, v, 256 * 1024, "shared");
}

std::uint32_t OperandDecoder::local_offset(const Variable& v) {
  if (frame_->on_stack != nullptr) {
    auto& places = frame_->on_stack->places;
    const auto known = places.find(&v);
    if (known != places.end()) return known->second;
    return places[&v] = place(frame_->on_stack->bytes, v, 16 * 1024, "stack");
  }
  const auto found = places_.find(&v);
  if (found != places_.end()) return found->second;
  return places_[&v] = place(local_bytes_, v, 512 * 1024, "local");
}

Row OperandDecoder::address_of(const Operand& o, char kind, std::int64_t extra) {
  const Variable& v = variable(o);
  const std::uint64_t offset = o.bits + static_cast<std::uint64_t>(extra);
  switch (v.space) {
    case Space::shared:
      if (v.bytes == 0) {
        dynamic_align_ = std::max(dynamic_align_, v.align);
        return rows_.patched(kind, {Patch::Kind::dynamic_shared, offset});
      }
      return rows_.constant(kind, shared_offset(v) + offset);
    case Space::local:
      return rows_.constant(kind, local_offset(v) + offset);
    case Space::param: {
      std::uint32_t at = 0;
      if (kernel_parameter(o, at)) return rows_.constant(kind, at + offset);
      return rows_.constant(kind, parameter_place(o) + offset);
    }
    default: {
      if (!o.of_module) fail("variables of functions in this state space are not supported");
      return rows_.patched(kind, {Patch::Kind::symbol, offset, o.index});
    }
  }
}

/// address_of() for a variable of a frame, in a register.
Row OperandDecoder::frame_address(Flow& f, const Operand& o, char kind) {
  const Space space = variable(o).space;
  if (o.of_module || frame_->on_stack == nullptr || (space != Space::local && space != Space::param))
    return address_of(o, kind);
  Flow sum = simple(find_handler("add.u64")->handler);
  const std::uint32_t wide = rows_.new_register('l');
  sum.op.a = rows_.row(frame_register_);
  sum.op.b = address_of(o, 'l');
  sum.op.d = rows_.row(wide);
  sum.op.weight = 0;
  sum.reads.push_back(frame_register_);
  sum.writes.push_back(wide);
  push(std::move(sum));
  f.reads.push_back(wide);
  if (kind == 'l') return rows_.row(wide);
  fail("the address of a variable on the stack needs 64 bits");
}

bool OperandDecoder::kernel_parameter(const Operand& o, std::uint32_t& offset) const {
  if (o.of_module || frame_->function != &kernel_function_) return false;
  for (std::size_t p = 0; p < kernel_function_.parameters.size(); ++p)
    if (kernel_function_.parameters[p] == o.index) {
      offset = out_->parameter_offsets[p];
      return true;
    }
  return false;
}

std::uint32_t OperandDecoder::parameter_place(const Operand& o) {
  const auto found = frame_->parameter_at.find(o.index);
  return found != frame_->parameter_at.end() ? found->second : local_offset(variable(o));
}

std::string OperandDecoder::kind_name(char kind) {
  return kind == 'p' ? "a predicate" : kind == 'h' ? "16 bits" : kind == 'w' ? "32 bits" : "64 bits";
}

Row OperandDecoder::source(Flow& f, const Operand& o, char kind) {
  switch (o.kind) {
    case Operand::Kind::reg: {
      const std::uint32_t r = id(o);
      if (rows_.kind(r) != kind)
        fail("operand " + o.name + " has " + kind_name(rows_.kind(r)) + ", expected " + kind_name(kind));
      f.reads.push_back(r);
      return rows_.row(r);
    }
    case Operand::Kind::integer:
      return rows_.constant(kind, o.bits);
    case Operand::Kind::real:
      return rows_.constant(kind, real(o, kind));
    case Operand::Kind::special:
      return special(o.name, kind);
    case Operand::Kind::variable:
      if (kind != 'w' && kind != 'l') fail("an address needs 32 or 64 bits");
      return frame_address(f, o, kind);
    default:
      fail("expected a register or a number as operand");
  }
}

std::uint64_t OperandDecoder::real(const Operand& o, char kind) const {
  if (kind == 'h') fail("a 16-bit operand is written in hexadecimal");
  if (o.single == (kind == 'w')) return o.bits;
  std::uint64_t bits = 0;
  if (o.single) {
    float narrow;
    std::memcpy(&narrow, &o.bits, 4);
    const double wide = narrow;
    std::memcpy(&bits, &wide, 8);
  } else {
    double wide;
    std::memcpy(&wide, &o.bits, 8);
    const auto narrow = static_cast<float>(wide);
    std::memcpy(&bits, &narrow, 4);
  }
  return bits;
}

Row OperandDecoder::destination(Flow& f, const Operand& o, char kind) {
  if (o.kind == Operand::Kind::sink) return scratch(kind);
  if (o.kind != Operand::Kind::reg) fail("expected a register as destination");
  const std::uint32_t r = id(o);
  if (rows_.kind(r) != kind)
    fail("destination " + o.name + " has " + kind_name(rows_.kind(r)) + ", expected " + kind_name(kind));
  f.writes.push_back(r);
  return rows_.row(r);
}

/// Shared memory reserved for the system (PTX ISA, %reserved_smem_offset), where cooperative groups of
/// several warps synchronize. 1 KiB, as CUDA reserves from compute capability 8.0 on (CUDA C++ Programming
/// Guide, "Shared Memory"), only in kernels that use it. The order of its two slots is Strata's.
Row OperandDecoder::reserved_shared(const std::string& which) {
  constexpr std::uint32_t bytes = 1024;
  if (reserved_shared_ == none_reserved) {
    reserved_shared_ = (shared_bytes_ + 127) / 128 * 128;
    shared_bytes_ = reserved_shared_ + bytes;
  }
  if (which == "begin" || which == "0") return rows_.constant('w', reserved_shared_);
  if (which == "1") return rows_.constant('w', reserved_shared_ + bytes / 2);
  if (which == "end" || which == "cap") return rows_.constant('w', reserved_shared_ + bytes);
  fail("'%reserved_smem_offset_" + which + "' is no special register");
}

Row OperandDecoder::special(const std::string& name, char kind) {
  const auto axis = [&](const char* base) {
    const std::size_t n = std::strlen(base);
    if (name.compare(0, n, base) != 0 || name.size() != n + 2 || name[n] != '.') return -1;
    return name[n + 1] >= 'x' && name[n + 1] <= 'z' ? name[n + 1] - 'x' : -1;
  };
  if (const int a = axis("%tid"); a >= 0 && kind == 'w') return rows_.row(tid_[a]);
  if (const int a = axis("%ntid"); a >= 0)
    return rows_.patched(kind, {Patch::Kind::ntid, static_cast<std::uint64_t>(a)});
  if (const int a = axis("%ctaid"); a >= 0)
    return rows_.patched(kind, {Patch::Kind::ctaid, static_cast<std::uint64_t>(a)});
  if (const int a = axis("%nctaid"); a >= 0)
    return rows_.patched(kind, {Patch::Kind::nctaid, static_cast<std::uint64_t>(a)});
  const auto of_cluster = [&](Patch::Kind which, int a) {
    return rows_.patched(kind, {which, static_cast<std::uint64_t>(a)});
  };
  if (const int a = axis("%cluster_ctaid"); a >= 0) return of_cluster(Patch::Kind::cluster_ctaid, a);
  if (const int a = axis("%cluster_nctaid"); a >= 0) return of_cluster(Patch::Kind::cluster_nctaid, a);
  if (const int a = axis("%clusterid"); a >= 0) return of_cluster(Patch::Kind::clusterid, a);
  if (const int a = axis("%nclusterid"); a >= 0) return of_cluster(Patch::Kind::nclusterid, a);
  if (name == "%is_explicit_cluster" && kind == 'p') return of_cluster(Patch::Kind::explicit_cluster, 0);
  if (name == "%warpid" && kind == 'w') return rows_.row(warp_id_);
  if (name == "%laneid") return rows_.lanes(kind, [](std::uint32_t i) { return i; });
  if (name == "%lanemask_eq") return rows_.lanes(kind, [](std::uint32_t i) { return 1u << i; });
  if (name == "%lanemask_lt") return rows_.lanes(kind, [](std::uint32_t i) { return (1u << i) - 1; });
  if (name == "%lanemask_le") return rows_.lanes(kind, [](std::uint32_t i) { return (2u << i) - 1; });
  if (name == "%lanemask_gt") return rows_.lanes(kind, [](std::uint32_t i) { return ~((2u << i) - 1); });
  if (name == "%lanemask_ge") return rows_.lanes(kind, [](std::uint32_t i) { return ~((1u << i) - 1); });
  if (const auto* launch = find_named(of_launch, name)) return rows_.patched(kind, {launch->value});
  if (name == "%gridid" || name == "%smid") return rows_.constant(kind, 0);
  if (name == "%nsmid") return rows_.constant(kind, 1);
  std::vector<std::string> names = names_of(of_launch);
  for (const char* more : {"%tid.x",
                           "%tid.y",
                           "%tid.z",
                           "%ntid.x",
                           "%ntid.y",
                           "%ntid.z",
                           "%ctaid.x",
                           "%ctaid.y",
                           "%ctaid.z",
                           "%nctaid.x",
                           "%nctaid.y",
                           "%nctaid.z",
                           "%laneid",
                           "%warpid",
                           "%cluster_ctaid.x",
                           "%cluster_nctaid.x",
                           "%clusterid.x",
                           "%nclusterid.x",
                           "%is_explicit_cluster",
                           "%gridid",
                           "%smid",
                           "%nsmid",
                           "%clock",
                           "%clock64",
                           "%lanemask_lt"})
    names.emplace_back(more);
  if (name.compare(0, 22, "%reserved_smem_offset_") == 0 && kind == 'w')
    return reserved_shared(name.substr(22));
  if (name.compare(0, 7, "%envreg") == 0) return rows_.constant(kind, 0);
  fail("'" + name + "' is no register that is declared, nor a special register of this size" +
       suggestion(name, names));
}

Row OperandDecoder::scratch(char kind) {
  return rows_.row(rows_.new_register(kind));
}

const Operand& OperandDecoder::operand(std::size_t n) const {
  if (n >= instruction_->operands.size()) fail("expected at least " + std::to_string(n + 1) + " operands");
  return instruction_->operands[n];
}

std::string OperandDecoder::as_written(const Type& t) {
  const std::string name = t.kind == 'h' ? "bf" : std::string(1, t.kind);
  return name + (t.pair ? "16x2" : std::to_string(t.bits));
}

}  // namespace strata::traces::ptx
