#pragma once

#include "traces/ptx/decode/operand_decoder.h"
#include "traces/ptx/lanes/bulk_code.h"
#include "traces/ptx/lanes/tensor_code.h"

namespace strata::traces::ptx {

/// Converts a kernel and the functions that it calls to operations. Sources by concern: decoder.cpp
/// (functions, operations by key), operand_decoder.cpp, decode_arithmetic.cpp, decode_control.cpp,
/// decode_memory.cpp and so on.
class Decoder final : OperandDecoder {
 public:
  Decoder(const Module& module, const Function& kernel) : OperandDecoder(module, kernel) {}
  std::unique_ptr<DecodedKernel> run();

 private:
  std::unique_ptr<DecodedKernel> finish();
  void function(Frame& frame);
  void instruction();

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
  /// Converts a wider source register: its low bits are copied to a register of the type's size.
  void narrow_source(std::vector<Operand>& operands, const Type& from);
  void half_convert(const Type& to, const Type& from);
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
  bool device_call(const std::string& name);
  void print();
  void assertion();
  void barrier();
  void cluster_barrier();
  void cluster_address();
  void other(bool barrier);
  void register_limit();

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
  void cache_policy();
  void vector_atomic(Handler handler, const Type& t, std::uint8_t count);

  // --- asynchronous copies ---
  void copy_async();
  void async_group(Sync sync, std::uint16_t groups_left = 0);
  std::uint16_t groups_left();
  void copy_arrives();
  void copy_bulk();
  void bulk_pieces(const BulkCode& code, const std::vector<Space>& spaces, std::vector<Row> rows,
                   const std::vector<std::uint32_t>& reads);
  Row wide_address(Flow& f, const Operand& o);
  void completes(std::size_t barrier, std::uint64_t bytes);
  void tensor_map();
  void memory_barrier();
  void barrier_memory(Flow& f, std::size_t which, bool store);

  // --- textures and surfaces ---
  void texture();
  void texture_query();
  void surface(bool store);
  void texture_place(Flow& f, const Operand& o, bool whole, std::vector<Row>& rows);

  // --- matrices ---
  void tensor();
  void multiply_matrices(bool wmma);
  void matrix_memory(bool store, const char* key);
  void bare_address(Flow& f, const Operand& o);
  void multiply_sparse();
  void group_tensor();
  void multiply_group();
  bool choice(std::size_t n, const char* name, std::int64_t no, std::int64_t yes) const;
  enum class Kind : std::uint8_t { plain, small, scaled };
  Kind product_kind(const std::vector<Element>& types, const TensorCode& code, bool sparse) const;
  void scales(Flow& f, std::size_t first, std::vector<Row>& rows);
  std::vector<Row> tensor_rows(Flow& f, const Operand& o, char kind, bool written);
  std::size_t tensor_registers(const TensorCode& code, Element e) const;

  // --- values of 128 bits, in two registers of 64 bits ---
  std::vector<Operand> halves(const Operand& o) const;
  void move_wide();
  void wide_atomic(bool swaps);

  std::map<std::uint32_t, std::uint32_t> high_halves_;  ///< by the register of the low half
  std::map<const Function*, std::uint32_t> frames_;
  std::map<const Function*, std::uint64_t> body_numbers_;
  std::map<const Function*, bool> calls_itself_;
  std::set<const Function*> pointed_;  ///< functions whose address is taken
  std::vector<const Function*> calls_;
};

}  // namespace strata::traces::ptx
