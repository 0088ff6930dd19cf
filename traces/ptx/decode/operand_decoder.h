#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "traces/ptx/decode/decoded_kernel.h"

namespace strata::traces::ptx {

/// Kind of register: p predicate, h 16, w 32, l 64 bits.
inline char letter(const Type& type) {
  if (type.kind == 'p') return 'p';
  return type.bits <= 16 ? 'h' : type.bits == 32 ? 'w' : 'l';
}

/// Assigns rows to the registers and constants of a kernel. Kinds: p predicate, h 16, w 32, l 64 bits.
class RowAllocator {
 public:
  explicit RowAllocator(DecodedKernel& kernel) : kernel_(kernel) {}

  /// Returns its number; throws TraceError if there are too many.
  std::uint32_t new_register(char kind);
  std::uint32_t registers() const { return static_cast<std::uint32_t>(kinds_.size()); }
  char kind(std::uint32_t number) const { return kinds_[number]; }
  Row row(std::uint32_t number) const { return offsets_[number]; }
  const std::vector<char>& kinds() const { return kinds_; }
  const std::vector<Row>& rows() const { return offsets_; }
  std::uint32_t register_bytes() const { return register_bytes_; }

  /// A constant with this value in all lanes.
  Row constant(char kind, std::uint64_t value);
  /// A constant that each launch sets.
  Row patched(char kind, Patch patch);
  /// A constant with `value(i)` in lane i.
  Row lanes(char kind, std::uint32_t (*value)(std::uint32_t));

 private:
  Row new_constant(char kind);

  DecodedKernel& kernel_;
  std::vector<char> kinds_;
  std::vector<Row> offsets_;
  std::uint32_t register_bytes_ = 0;
  std::map<std::pair<char, std::uint64_t>, Row> constants_;
  std::map<std::tuple<char, int, std::uint64_t, std::uint32_t>, Row> patches_;
};

/// Basis of decoding: operations by key, operands as rows, addresses of variables in shared and local memory.
/// It reads the current instruction without interpreting it.
class OperandDecoder {
 protected:
  OperandDecoder(const Module& module, const Function& kernel)
      : module_(module), kernel_function_(kernel), out_(std::make_unique<DecodedKernel>()), rows_(*out_) {
    out_->module = &module;
    out_->function = &kernel;
  }

  struct FrameLayout {
    std::map<const Variable*, std::uint32_t> places;
    std::uint32_t bytes = 0;
  };
  struct Frame {
    const Function* function = nullptr;
    std::map<std::uint32_t, std::uint32_t> parameter_at;       ///< variable -> local offset
    std::vector<std::uint32_t> starts;                         ///< instruction -> position in flow_
    std::uint32_t registers = 0;                               ///< id of the first
    FrameLayout* on_stack = nullptr;                           ///< variables relative to the frame
    std::vector<std::pair<std::size_t, std::uint32_t>> jumps;  ///< flow position and target instruction
  };

  // --- operations ---
  [[noreturn]] void fail_line(int line, const std::string& message) const;
  [[noreturn]] void fail(const std::string& message) const;
  const Row* list(std::vector<Row> rows);
  Flow simple(Handler fn) const;
  /// A handler by key, its operands by signature.
  void by_key(const std::string& key, const std::vector<Operand>& operands, std::uint8_t weight = 1,
              std::uint8_t code = 0);
  [[noreturn]] void unsupported(const std::string& key) const;
  void push(Flow f);
  void emit(OpClass op_class);
  bool has_type() const;
  Type last_type() const;

  // --- memory layout ---
  static std::uint32_t reaches_wide(const Instruction& i);
  void find_shared(const Function& function, std::set<const Function*>& seen);
  Row reserved_shared(const std::string& which);
  std::uint32_t place(std::uint32_t& top, const Variable& v, std::uint64_t most, const char* what);
  std::uint32_t shared_offset(const Variable& v);
  std::uint32_t local_offset(const Variable& v);
  /// Constant row that holds the address of a variable (plus an offset) in its own space.
  Row address_of(const Operand& o, char kind, std::int64_t extra = 0);
  Row frame_address(Flow& f, const Operand& o, char kind);
  const Variable& variable(const Operand& o) const {
    return o.of_module ? module_.variables[o.index] : frame_->function->variables[o.index];
  }
  bool kernel_parameter(const Operand& o, std::uint32_t& offset) const;
  std::uint32_t parameter_place(const Operand& o);
  // --- operands ---
  static std::string kind_name(char kind);
  std::uint32_t id(const Operand& o) const { return frame_->registers + o.index; }
  Row source(Flow& f, const Operand& o, char kind);
  std::uint64_t real(const Operand& o, char kind) const;
  Row destination(Flow& f, const Operand& o, char kind);
  Row scratch(char kind);
  char kind_of(const Operand& o) const {
    if (o.kind != Operand::Kind::reg) return 0;
    return rows_.kind(id(o));
  }
  Row special(const std::string& name, char kind);
  const Operand& operand(std::size_t n) const;
  static std::string number(const Type& t, char kind) {
    return std::string(1, kind) + std::to_string(t.bits);
  }
  static std::string as_written(const Type& t);

  const Module& module_;
  const Function& kernel_function_;
  std::unique_ptr<DecodedKernel> out_;
  std::vector<Flow> flow_;
  RowAllocator rows_;
  std::uint32_t wide_shared_ = 0;     ///< largest access to shared memory in bytes, if 8 or 16
  std::uint32_t dynamic_align_ = 16;  ///< alignment of dynamic shared memory
  std::uint32_t shared_bytes_ = 0, local_bytes_ = 0;
  static constexpr std::uint32_t none_reserved = ~0U;
  std::uint32_t reserved_shared_ = none_reserved;
  std::uint32_t tid_[3] = {}, warp_id_ = 0, carry_register_ = 0;
  std::set<std::uint32_t> used_shared_;  ///< variables of the module
  std::map<const Variable*, std::uint32_t> places_;
  std::uint32_t frame_register_ = 0, top_register_ = 0;
  Frame* frame_ = nullptr;
  const Instruction* instruction_ = nullptr;
};

}  // namespace strata::traces::ptx
