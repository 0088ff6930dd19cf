#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "traces/ptx/decode/decoded_kernel.h"
#include "traces/ptx/decode/row_allocator.h"
#include "traces/ptx/lanes/tensor_code.h"

namespace strata::traces::ptx {

/// Turns one kernel with the functions that it calls into operations. Sources by concern: decode.cpp
/// (functions, operations by key), decode_operands, decode_arithmetic, decode_convert, decode_control,
/// decode_memory.
class Decoder {
 public:
  Decoder(const Module& module, const Function& kernel)
      : module_(module), kernel_function_(kernel), out_(std::make_unique<DecodedKernel>()), rows_(*out_) {
    out_->module = &module;
    out_->function = &kernel;
  }
  std::unique_ptr<DecodedKernel> run();

 private:
  struct FrameLayout {
    std::map<const Variable*, std::uint32_t> places;
    std::uint32_t bytes = 0;
  };
  struct Frame {
    const Function* function = nullptr;
    std::map<std::uint32_t, std::uint32_t> parameter_at;       ///< variable -> local offset
    std::vector<std::uint32_t> starts;                         ///< instruction -> position in flow_
    std::uint32_t registers = 0;                               ///< id of the first
    FrameLayout* on_stack = nullptr;                           ///< where variables are, relative to the frame
    std::vector<std::pair<std::size_t, std::uint32_t>> jumps;  ///< flow position, instruction to go to
  };

  // --- functions and operations ---
  [[noreturn]] void fail_line(int line, const std::string& message) const;
  [[noreturn]] void fail(const std::string& message) const;
  std::unique_ptr<DecodedKernel> finish();
  const Row* list(std::vector<Row> rows);
  Flow simple(Handler fn) const;
  /// A handler by key, its operands by signature.
  void by_key(const std::string& key, const std::vector<Operand>& operands, std::uint8_t weight = 1,
              std::uint8_t code = 0);
  [[noreturn]] void unsupported(const std::string& key) const;
  void push(Flow f);
  void emit(OpClass op_class);
  void function(Frame& frame);
  void instruction();
  bool has_type() const;
  Type last_type() const;

  // --- memory layout ---
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

  // --- arithmetic and moves ---
  void arithmetic();
  std::string arithmetic_key(const std::string& op, const Type& t) const;
  std::string key_stem(const std::string& op, const Type& t) const;
  bool directed() const;
  void carry(const std::string& key, const std::vector<Operand>& operands);
  void lop3();
  void predicate_logic();
  void set_predicate();
  void warp_wide();
  void move();
  void pack(const Operand& d, const Operand& s);

  // --- conversions ---
  void convert();
  void convert_real(const Type& to, const Type& from);
  void convert_kind(const Type& to, const Type& from);
  void convert_integer(Type to, Type from);
  std::string direction() const;
  std::string small_key() const;
  std::uint8_t rounding(bool& integral) const;
  char source_kind(const Operand& o, const Type& from) const {
    return o.kind == Operand::Kind::reg ? kind_of(o) : letter(from);
  }
  char target_kind(const Operand& o, const Type& to) const {
    return kind_of(o) != 0 ? kind_of(o) : letter(to);
  }
  /// A wider register as source: its low bits first go to a register of the type's size.
  void narrow_source(std::vector<Operand>& operands, const Type& from);
  void half_convert(const Type& from);
  void convert_address();
  void space_test();

  // --- control ---
  void branch();
  void indirect();
  void leave(bool exits);
  void call();
  void call_body(std::uint64_t body, const Operand* pointer);
  void copy_local(const Operand& variable, std::uint32_t at, bool to_frame);
  void local_copy_part(std::uint32_t from_register, std::int64_t from, std::uint32_t to_register,
                       std::int64_t to, std::uint32_t bytes);
  std::uint64_t body_of(const Function& function);
  void bodies();
  bool calls_itself(const Function& function);
  void pointed_functions();
  void use_stack();
  void stack_memory(const char* key);
  void heap_call(const std::string& name);
  void print();
  void barrier();
  void other(bool barrier);

  // --- memory ---
  Space space_of(bool& bypasses) const;
  void address(Flow& f, const Operand& o);
  std::uint8_t elements() const {
    return instruction_->has("v2") ? 2 : instruction_->has("v4") ? 4 : instruction_->has("v8") ? 8 : 1;
  }
  void classify(Flow& f, bool bypasses, bool is_store);
  void load();
  void load_parameter(const Type& t, std::uint64_t offset, std::uint64_t left);
  void store();
  void atomic();

  // --- copies that do not wait ---
  void copy_async();
  void async_group(const char* key, std::int64_t groups, bool commits);
  void copy_arrives();
  void copy_bulk();
  void memory_barrier();
  void barrier_memory(Flow& f, std::size_t which, bool store);

  // --- textures and surfaces ---
  void texture();
  void surface(bool store);
  void texture_place(Flow& f, const Operand& o, bool whole, std::vector<Row>& rows);

  // --- matrices ---
  void tensor();
  void multiply_matrices(bool wmma);
  void matrix_memory(bool store, const char* key);
  void bare_address(Flow& f, const Operand& o);
  std::vector<Row> tensor_rows(Flow& f, const Operand& o, char kind, bool written);
  std::size_t tensor_registers(const TensorCode& code, Element e) const;

  const Module& module_;
  const Function& kernel_function_;
  std::unique_ptr<DecodedKernel> out_;
  std::vector<Flow> flow_;
  RowAllocator rows_;
  std::uint32_t shared_bytes_ = 0, local_bytes_ = 0;
  static constexpr std::uint32_t none_reserved = ~0U;
  std::uint32_t reserved_shared_ = none_reserved;
  std::uint32_t tid_[3] = {}, warp_id_ = 0, carry_register_ = 0;
  std::set<std::uint32_t> used_shared_;  ///< variables of the module
  std::map<const Variable*, std::uint32_t> places_;
  std::map<const Function*, std::uint32_t> frames_;
  std::map<const Function*, std::uint64_t> body_numbers_;
  std::map<const Function*, bool> calls_itself_;
  std::set<const Function*> pointed_;  ///< whose address is taken
  std::uint32_t frame_register_ = 0, top_register_ = 0;
  std::vector<const Function*> calls_;
  Frame* frame_ = nullptr;
  const Instruction* instruction_ = nullptr;
};

}  // namespace strata::traces::ptx
