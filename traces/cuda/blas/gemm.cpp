// PTX of matrix products. A thread block of 16 by 16 computes a tile of 64 by 64 of C in steps of 16 along k:
// it loads 16 by 64 elements of each operand into shared memory, in the type of the sums. Each thread adds 4
// by 4 elements, 16 rows and columns apart, so that loads and stores of a warp are adjacent.
#include "traces/cuda/blas/gemm.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <utility>
#include <vector>

namespace strata::cuda::blas {
namespace {

constexpr unsigned step = 16;
constexpr unsigned pitch =
    gemm_tile + 2;  // elements; no bank conflicts when a tile is written along either axis

/// How elements of a type are loaded and stored, and the type of sums.
struct Sum {
  const char *type, *zero, *multiply, *multiply_add;
  char letter;
  unsigned bytes;
};
Sum sum_of(ComputeType compute) {
  if (compute == compute_f64) return {"f64", "0d0000000000000000", "mul.rn.f64", "fma.rn.f64", 'd', 8};
  if (compute == compute_s32) return {"s32", "0", "mul.lo.s32", "mad.lo.s32", 'r', 4};
  return {"f32", "0f00000000", "mul.rn.f32", "fma.rn.f32", 'f', 4};
}

class Writer {
 public:
  explicit Writer(const GemmKind& kind) : kind_(kind), sum_(sum_of(kind.compute)) {}
  std::string text();

 private:
  void head();
  void scalars();
  void operand(char name, bool along_k, const char* block, const char* count);
  void fetch(char name);
  void put_down(char name);
  void multiply();
  void round_sums();
  void results();
  void places();
  void biases();
  void widen(const std::string& to);
  void narrow();
  void activate(unsigned i);
  void sigmoid();
  void convert_in(const std::string& to, const std::string& raw);
  void scalar_value(const char* name);
  std::string raw(char name, unsigned j) const {
    return "%" + std::string(1, name) + "raw" + std::to_string(j);
  }

  const GemmKind kind_;
  const Sum sum_;
  std::ostringstream out_;
};

const char* raw_type(DataType type) {
  switch (type) {
    case f64:
      return "f64";
    case f16:
    case bf16:
      return "b16";
    case s8:
      return "s8";
    case s32:
      return "s32";
    default:
      return "f32";
  }
}

/// An f32 number in PTX.
std::string number(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  char text[16];
  std::snprintf(text, sizeof text, "0f%08X", bits);
  return text;
}

bool is_bits(Activation activation) {
  return activation == Activation::relu || activation == Activation::relu_gradient;
}

void Writer::head() {
  const std::string name = gemm_name(kind_);
  const char* const scalar = kind_.compute == compute_f16 ? "b16" : sum_.type;
  out_ << ".version 7.1\n.target sm_80\n.address_size 64\n\n.visible .entry " << name << "(\n"
       << "  .param .u64 a, .param .u64 b, .param .u64 c,\n  .param .u32 m, .param .u32 n, .param .u32 k,\n"
       << "  .param .u64 a_pitch, .param .u64 b_pitch, .param .u64 c_pitch,  // elements\n"
       << "  .param .u64 a_next, .param .u64 b_next, .param .u64 c_next,     // bytes from matrix to matrix\n"
       << "  .param ." << scalar << " alpha, .param ." << scalar << " beta,\n"
       << "  .param .u64 alpha_at, .param .u64 beta_at";
  if (kind_.is_extended())
    out_ << ",\n  .param .u64 d, .param .u64 d_pitch, .param .u64 d_next,\n"
         << "  .param .u64 bias, .param .u64 bias_next,\n"
         << "  .param .u64 second, .param .u64 second_pitch, .param .u64 second_next";
  out_ << ")\n.maxntid 256\n{\n"
       << "  .shared .align 16 .b8 a_tile[" << step * pitch * sum_.bytes << "];\n"
       << "  .shared .align 16 .b8 b_tile[" << step * pitch * sum_.bytes << "];\n"
       << "  .reg .pred %p<16>;\n  .reg .b16 %h<4>;\n  .reg .b32 %r<80>;\n  .reg .b64 %a<60>;\n"
       << "  .reg ." << sum_.type << " %sum<16>, %x<4>, %y<4>, %alpha, %beta, %old, %in;\n"
       << "  .reg ." << (kind_.in == s8 ? "s32" : raw_type(kind_.in)) << " %araw<4>, %braw<4>;\n"
       << "  .reg ." << (raw_type(kind_.out)) << " %cell;\n"
       << "  .reg .b64 %a_from, %b_from, %c_to, %a_part, %b_part, %a_on, %b_on, %c_pitch;\n"
       << "  .reg .b32 %m, %n, %k, %thread, %tx, %ty, %at_k, %a_k, %b_k, %a_put, %b_put, %a_take, %b_take;\n"
       << "  .reg .s32 %a_end<4>, %b_end<4>;\n";
  if (kind_.is_extended())
    out_ << "  .reg .b64 %d_to, %d_pitch, %bias_at, %second_at, %second_pitch;\n"
         << "  .reg .f32 %bias<4>, %e<4>;\n";
  out_ << "\n";
}

void Writer::scalar_value(const char* name) {
  const std::string reg = std::string("%") + name;
  out_ << "  ld.param.u64 %a0, [" << name << "_at];\n  setp.ne.u64 %p0, %a0, 0;\n";
  if (kind_.compute == compute_f16)
    out_ << "  ld.param.b16 %h0, [" << name << "];\n  @%p0 ld.global.b16 %h0, [%a0];\n  cvt.f32.f16 " << reg
         << ", %h0;\n";
  else
    out_ << "  ld.param." << sum_.type << " " << reg << ", [" << name << "];\n  @%p0 ld.global." << sum_.type
         << " " << reg << ", [%a0];\n";
}

/// Sizes, scalars and the begin of the matrices of this batch. With alpha 0 the product is skipped.
void Writer::scalars() {
  for (const char* one : {"m", "n", "k"}) out_ << "  ld.param.u32 %" << one << ", [" << one << "];\n";
  scalar_value("alpha");
  scalar_value("beta");
  out_ << "  setp.eq." << sum_.type << " %p0, %alpha, " << sum_.zero << ";\n  selp.b32 %k, 0, %k, %p0;\n"
       << "  mov.u32 %tx, %tid.x;\n  mov.u32 %ty, %tid.y;\n  mad.lo.u32 %thread, %ty, " << gemm_threads
       << ", %tx;\n  mov.u32 %r0, %ctaid.z;\n  cvt.u64.u32 %a1, %r0;\n";
  std::vector<std::pair<const char*, const char*>> matrices = {
      {"a", "%a_from"}, {"b", "%b_from"}, {"c", "%c_to"}};
  if (kind_.is_extended()) matrices.emplace_back("d", "%d_to");
  for (const auto& [name, reg] : matrices) {
    out_ << "  ld.param.u64 " << reg << ", [" << name << "];\n";
    if (kind_.batched)
      out_ << "  mad.lo.u64 " << reg << ", %a1, 8, " << reg << ";\n  ld.global.u64 " << reg << ", [" << reg
           << "];\n";
    else
      out_ << "  ld.param.u64 %a2, [" << name << "_next];\n  mad.lo.u64 " << reg << ", %a1, %a2, " << reg
           << ";\n";
  }
  out_ << "  ld.param.u64 %c_pitch, [c_pitch];\n";
  if (kind_.is_extended()) out_ << "  ld.param.u64 %d_pitch, [d_pitch];\n";
  const std::pair<bool, const char*> strided[] = {{kind_.bias, "bias"}, {kind_.second, "second"}};
  for (const auto& [there, name] : strided)
    if (there)
      out_ << "  ld.param.u64 %" << name << "_at, [" << name << "];\n  ld.param.u64 %a2, [" << name
           << "_next];\n  mad.lo.u64 %" << name << "_at, %a1, %a2, %" << name << "_at;\n";
  if (kind_.second) out_ << "  ld.param.u64 %second_pitch, [second_pitch];\n";
  out_ << "\n";
}

/// Per operand: the thread's elements of each tile, their address, and the end along k. Lanes run along the
/// contiguous axis: k, or rows of op(A) and columns of op(B).
void Writer::operand(char name, bool along_k, const char* block, const char* count) {
  const std::string o(1, name);
  const unsigned bytes = bytes_of(kind_.in);
  const char *k = "%r1", *outer = "%r2";
  out_ << "  // " << o << "\n  ld.param.u64 %a3, [" << o << "_pitch];\n";
  if (along_k)
    out_ << "  and.b32 " << k << ", %thread, 15;\n  shr.u32 " << outer << ", %thread, 4;\n";
  else
    out_ << "  and.b32 " << outer << ", %thread, 63;\n  shr.u32 " << k << ", %thread, 6;\n";
  out_ << "  mov.u32 %r3, " << block << ";\n  mad.lo.u32 %r4, %r3, " << gemm_tile << ", " << outer << ";\n";
  // The element (k, outer), the step to the next of the thread's four, and to the next tile.
  out_ << "  cvt.u64.u32 %a4, " << (along_k ? k : "%r4") << ";\n  cvt.u64.u32 %a5, " << (along_k ? "%r4" : k)
       << ";\n  mad.lo.u64 %a4, %a5, %a3, %a4;\n  mad.lo.u64 %" << o << "_from, %a4, " << bytes << ", %" << o
       << "_from;\n  mul.lo.u64 %" << o << "_part, %a3, " << (along_k ? 16 : 4) * bytes << ";\n";
  if (along_k)
    out_ << "  mov.u64 %" << o << "_on, " << step * bytes << ";\n";
  else
    out_ << "  mul.lo.u64 %" << o << "_on, %a3, " << step * bytes << ";\n";
  for (unsigned j = 0; j < 4; ++j) {
    out_ << "  add.u32 %r5, %r4, " << (along_k ? 16 * j : 0) << ";\n  setp.lt.u32 %p0, %r5, " << count
         << ";\n  sub.s32 %r6, %k, " << (along_k ? 0 : 4 * j) << ";\n  selp.b32 %" << o << "_end" << j
         << ", %r6, 0, %p0;\n";
  }
  out_ << "  mov.u32 %" << o << "_k, " << k << ";\n  mad.lo.u32 %r5, " << k << ", " << pitch << ", " << outer
       << ";\n  mov.u32 %r6, " << o << "_tile;\n  mad.lo.u32 %" << o << "_put, %r5, " << sum_.bytes
       << ", %r6;\n"
       << "  mad.lo.u32 %" << o << "_take, " << (name == 'a' ? "%tx" : "%ty") << ", " << sum_.bytes
       << ", %r6;\n";
}

void Writer::fetch(char name) {
  const std::string o(1, name);
  const bool wide = kind_.in == f32 || kind_.in == f64;
  out_ << "  mov.u64 %a6, %" << o << "_from;\n";
  for (unsigned j = 0; j < 4; ++j) {
    out_ << "  mov."
         << (wide             ? sum_.type
             : kind_.in == s8 ? "s32"
                              : "b16")
         << " " << raw(name, j) << ", " << (wide ? sum_.zero : "0") << ";\n  setp.lt.s32 %p0, %" << o
         << "_k, %" << o << "_end" << j << ";\n  @%p0 ld.global." << raw_type(kind_.in) << " " << raw(name, j)
         << ", [%a6];\n";
    if (j < 3) out_ << "  add.u64 %a6, %a6, %" << o << "_part;\n";
  }
  out_ << "  add.u64 %" << o << "_from, %" << o << "_from, %" << o << "_on;\n  add.u32 %" << o << "_k, %" << o
       << "_k, " << step << ";\n";
}

void Writer::convert_in(const std::string& to, const std::string& raw) {
  if (kind_.in == f16)
    out_ << "  cvt.f32.f16 " << to << ", " << raw << ";\n";
  else if (kind_.in == bf16)
    out_ << "  cvt.u32.u16 %r7, " << raw << ";\n  shl.b32 %r7, %r7, 16;\n  mov.b32 " << to << ", %r7;\n";
  else if (kind_.in == s8 && sum_.letter == 'f')
    out_ << "  cvt.rn.f32.s32 " << to << ", " << raw << ";\n";
  else
    out_ << "  mov." << sum_.type << " " << to << ", " << raw << ";\n";
}

void Writer::put_down(char name) {
  const bool along_k = name == 'a' ? kind_.a_transposed : !kind_.b_transposed;
  for (unsigned j = 0; j < 4; ++j) {
    convert_in("%in", raw(name, j));
    out_ << "  st.shared." << sum_.type << " [%" << name << "_put+"
         << j * (along_k ? 16 : 4 * pitch) * sum_.bytes << "], %in;\n";
  }
}

void Writer::multiply() {
  for (unsigned k = 0; k < step; ++k) {
    for (unsigned i = 0; i < 4; ++i)
      out_ << "  ld.shared." << sum_.type << " %x" << i << ", [%a_take+" << (k * pitch + 16 * i) * sum_.bytes
           << "];\n";
    for (unsigned j = 0; j < 4; ++j)
      out_ << "  ld.shared." << sum_.type << " %y" << j << ", [%b_take+" << (k * pitch + 16 * j) * sum_.bytes
           << "];\n";
    for (unsigned j = 0; j < 4; ++j)
      for (unsigned i = 0; i < 4; ++i) {
        const unsigned s = 4 * j + i;
        out_ << "  " << sum_.multiply_add << " %sum" << s << ", %x" << i << ", %y" << j << ", %sum" << s
             << ";\n";
      }
  }
}

/// Sums of f16 are rounded after every 16 products, like mma.m16n8k16 with f16 results.
void Writer::round_sums() {
  for (unsigned s = 0; s < 16; ++s)
    out_ << "  cvt.rn.f16.f32 %h0, %sum" << s << ";\n  cvt.f32.f16 %sum" << s << ", %h0;\n";
}

/// The number in %cell.
void Writer::widen(const std::string& to) {
  if (kind_.out == f16)
    out_ << "  cvt.f32.f16 " << to << ", %cell;\n";
  else if (kind_.out == bf16)
    out_ << "  cvt.u32.u16 %r7, %cell;\n  shl.b32 %r7, %r7, 16;\n  mov.b32 " << to << ", %r7;\n";
  else
    out_ << "  mov." << sum_.type << " " << to << ", %cell;\n";
}

/// Converts %in to the stored type.
void Writer::narrow() {
  if (kind_.out == f16 || kind_.out == bf16)
    out_ << "  cvt.rn." << (kind_.out == f16 ? "f16" : "bf16") << ".f32 %cell, %in;\n";
  else
    out_ << "  mov." << sum_.type << " %cell, %in;\n";
}

/// Addresses in D and the second matrix for the column in %r3, from %a1, first row.
void Writer::places() {
  const unsigned bytes = bytes_of(kind_.out);
  out_ << "  cvt.u64.u32 %a7, %r3;\n  mad.lo.u64 %a8, %a7, %d_pitch, %a1;\n  mad.lo.u64 %a8, %a8, " << bytes
       << ", %d_to;\n";
  if (!kind_.second) return;
  if (is_bits(kind_.activation))  // two bytes for 16 rows, shared by 16 lanes
    out_ << "  sub.u64 %a9, %a1, %a10;\n  mad.lo.u64 %a9, %a7, %second_pitch, %a9;\n  shr.u64 %a9, %a9, 3;\n"
         << "  add.u64 %a9, %a9, %second_at;\n";
  else
    out_ << "  mad.lo.u64 %a9, %a7, %second_pitch, %a1;\n  mad.lo.u64 %a9, %a9, " << bytes
         << ", %second_at;\n";
}

/// The four values that a thread needs.
void Writer::biases() {
  const unsigned bytes = bytes_of(kind_.out);
  const char* const first = kind_.bias_of_column ? "%r2" : "%r1";
  const char* const count = kind_.bias_of_column ? "%n" : "%m";
  out_ << "  cvt.u64.u32 %a2, " << first << ";\n  mad.lo.u64 %a2, %a2, " << bytes << ", %bias_at;\n";
  for (unsigned i = 0; i < 4; ++i) {
    out_ << "  add.u32 %r4, " << first << ", " << 16 * i << ";\n  setp.lt.u32 %p2, %r4, " << count
         << ";\n  mov." << raw_type(kind_.out) << " %cell, " << (kind_.out == f32 ? sum_.zero : "0")
         << ";\n  @%p2 ld.global." << raw_type(kind_.out) << " %cell, [%a2+" << 16 * i * bytes << "];\n";
    widen("%bias" + std::to_string(i));
  }
}

/// %e1 = 1 / (1 + exp(-2 u)) of %e0.
void Writer::sigmoid() {
  constexpr float cubic = 0.044715F, twice_root = 1.5957691216F, log2_of_e = 1.4426950409F;
  out_ << "  mul.rn.f32 %e1, %e0, %e0;\n  fma.rn.f32 %e1, %e1, " << number(cubic) << ", " << number(1)
       << ";\n  mul.rn.f32 %e1, %e1, %e0;\n  mul.rn.f32 %e1, %e1, " << number(-twice_root * log2_of_e)
       << ";\n  ex2.approx.f32 %e1, %e1;\n  add.rn.f32 %e1, %e1, " << number(1)
       << ";\n  rcp.rn.f32 %e1, %e1;\n";
}

/// %in, the i-th of the four of a column; %p3: it is inside D.
void Writer::activate(unsigned i) {
  const unsigned bytes = bytes_of(kind_.out);
  const std::string second =
      "[%a9+" + std::to_string(is_bits(kind_.activation) ? 2 * i : 16 * i * bytes) + "]";
  switch (kind_.activation) {
    case Activation::none:
      break;
    case Activation::relu:
      if (kind_.second)
        out_ << "  setp.gt.and.f32 %p5, %in, " << sum_.zero << ", %p3;\n"
             << "  vote.sync.ballot.b32 %r8, %p5, 0xffffffff;\n  and.b32 %r9, %thread, 16;\n"
             << "  shr.u32 %r8, %r8, %r9;\n  cvt.u16.u32 %h1, %r8;\n  setp.eq.and.u32 %p5, %tx, 0, %p3;\n"
             << "  @%p5 st.global.u16 " << second << ", %h1;\n";
      out_ << "  max.f32 %in, %in, " << sum_.zero << ";\n";
      break;
    case Activation::gelu:
      if (kind_.second) {
        narrow();
        out_ << "  @%p3 st.global." << raw_type(kind_.out) << " " << second << ", %cell;\n";
      }
      out_ << "  mov.f32 %e0, %in;\n";
      sigmoid();
      out_ << "  mul.rn.f32 %in, %e0, %e1;\n";
      break;
    case Activation::relu_gradient:
      out_ << "  mov.u16 %h1, 0;\n  @%p3 ld.global.u16 %h1, " << second
           << ";\n  cvt.u32.u16 %r8, %h1;\n  shr.u32 %r8, %r8, %tx;\n  and.b32 %r8, %r8, 1;\n"
           << "  setp.ne.u32 %p5, %r8, 0;\n  selp.f32 %in, %in, " << sum_.zero << ", %p5;\n";
      break;
    case Activation::gelu_gradient:  // s + 2 x s (1 - s) sqrt(2 / pi) (1 + 3 * 0.044715 x^2)
      out_ << "  mov." << raw_type(kind_.out) << " %cell, " << (kind_.out == f32 ? sum_.zero : "0")
           << ";\n  @%p3 ld.global." << raw_type(kind_.out) << " %cell, " << second << ";\n";
      widen("%e0");
      sigmoid();
      out_ << "  mul.rn.f32 %e2, %e0, %e0;\n  fma.rn.f32 %e2, %e2, " << number(0.134145F) << ", " << number(1)
           << ";\n  mul.rn.f32 %e2, %e2, " << number(1.5957691216F)
           << ";\n  mul.rn.f32 %e2, %e2, %e0;\n  mul.rn.f32 %e2, %e2, %e1;\n  sub.rn.f32 %e3, " << number(1)
           << ", %e1;\n  fma.rn.f32 %e2, %e2, %e3, %e1;\n  mul.rn.f32 %in, %in, %e2;\n";
      break;
  }
}

/// Reads C only if beta is not 0.
void Writer::results() {
  const unsigned bytes = bytes_of(kind_.out);
  const char* const cell = raw_type(kind_.out);
  out_ << "  setp.ne." << sum_.type << " %p1, %beta, " << sum_.zero
       << ";\n  mov.u32 %r1, %ctaid.x;\n  mad.lo.u32 %r1, "
       << "%r1, " << gemm_tile << ", %tx;\n  mov.u32 %r2, %ctaid.y;\n  mad.lo.u32 %r2, %r2, " << gemm_tile
       << ", %ty;\n  cvt.u64.u32 %a1, %r1;\n";
  if (kind_.second && is_bits(kind_.activation)) out_ << "  cvt.u64.u32 %a10, %tx;\n";
  if (kind_.bias) biases();
  for (unsigned j = 0; j < 4; ++j) {
    out_ << "  add.u32 %r3, %r2, " << 16 * j << ";\n  setp.lt.u32 %p2, %r3, %n;\n  cvt.u64.u32 %a2, %r3;\n"
         << "  mad.lo.u64 %a2, %a2, %c_pitch, %a1;\n  mad.lo.u64 %a2, %a2, " << bytes << ", %c_to;\n";
    if (kind_.is_extended()) places();
    for (unsigned i = 0; i < 4; ++i) {
      const std::string offset = "+" + std::to_string(16 * i * bytes) + "]";
      const std::string sum = "%sum" + std::to_string(4 * j + i);
      out_ << "  add.u32 %r4, %r1, " << 16 * i << ";\n  setp.lt.and.u32 %p3, %r4, %m, %p2;\n"
           << "  and.pred %p4, %p3, %p1;\n  mov." << cell << " %cell, "
           << (kind_.out == f32 || kind_.out == f64 ? sum_.zero : "0") << ";\n  @%p4 ld.global." << cell
           << " %cell, [%a2" << offset << ";\n";
      widen("%old");
      out_ << "  " << sum_.multiply << " %in, %alpha, " << sum << ";\n  " << sum_.multiply_add
           << " %in, %beta, %old, %in;\n";
      if (kind_.bias) out_ << "  add.rn.f32 %in, %in, %bias" << (kind_.bias_of_column ? j : i) << ";\n";
      activate(i);
      narrow();
      out_ << "  @%p3 st.global." << cell << " [" << (kind_.is_extended() ? "%a8" : "%a2") << offset
           << ", %cell;\n";
    }
  }
}

std::string Writer::text() {
  head();
  scalars();
  operand('a', kind_.a_transposed, "%ctaid.x", "%m");
  operand('b', !kind_.b_transposed, "%ctaid.y", "%n");
  for (unsigned s = 0; s < 16; ++s)
    out_ << "  mov." << sum_.type << " %sum" << s << ", " << sum_.zero << ";\n";
  out_ << "  mov.u32 %at_k, 0;\n  setp.ge.u32 %p0, %at_k, %k;\n  @%p0 bra RESULTS;\nSTEP:\n";
  fetch('a');
  fetch('b');
  out_ << "  bar.sync 0;\n";
  put_down('a');
  put_down('b');
  out_ << "  bar.sync 0;\n";
  multiply();
  if (kind_.compute == compute_f16) round_sums();
  out_ << "  add.u32 %at_k, %at_k, " << step
       << ";\n  setp.lt.u32 %p0, %at_k, %k;\n  @%p0 bra STEP;\nRESULTS:\n";
  results();
  out_ << "  ret;\n}\n";
  return out_.str();
}

}  // namespace

unsigned bytes_of(DataType type) {
  switch (type) {
    case f64:
      return 8;
    case f16:
    case bf16:
      return 2;
    case s8:
      return 1;
    default:
      return 4;
  }
}

unsigned scalar_bytes(ComputeType compute) {
  return compute == compute_f64 ? 8 : compute == compute_f16 ? 2 : 4;
}

std::string gemm_name(const GemmKind& kind) {
  const auto name_of = [](DataType type) -> std::string {
    return type == bf16  ? "bf16"
           : type == s8  ? "s8"
           : type == s32 ? "s32"
           : type == f64 ? "f64"
           : type == f16 ? "f16"
                         : "f32";
  };
  std::string name = "strata_";
  if (kind.in == f32)
    name += "sgemm";
  else if (kind.in == f64)
    name += "dgemm";
  else if (kind.compute == compute_f16)
    name += "hgemm";
  else
    name += "gemm_" + name_of(kind.in) + "_" + name_of(kind.out);
  if (kind.batched) name += "_batched";
  if (kind.is_extended()) {
    const char* const activations[] = {"", "_relu", "_gelu", "_drelu", "_dgelu"};
    const bool writes = kind.activation == Activation::relu || kind.activation == Activation::gelu;
    name += kind.bias_of_column ? "_rowbias" : kind.bias ? "_bias" : "";
    name += activations[static_cast<int>(kind.activation)];
    if (kind.second && writes) name += "_aux";
    if (!kind.bias && kind.activation == Activation::none) name += "_apart";
  }
  return name + "_" + (kind.a_transposed ? "t" : "n") + (kind.b_transposed ? "t" : "n");
}

std::string gemm_text(const GemmKind& kind) {
  return Writer(kind).text();
}

namespace {

constexpr std::int64_t most_of_grid = 65535;  // in y and z

}  // namespace

/// Combinations of types (cuBLAS, cublasGemmEx); its alignment rules for s8 are not checked.
GemmKind gemm_kind(const Gemm& g) {
  GemmKind kind;
  kind.in = static_cast<DataType>(g.a_type);
  kind.out = static_cast<DataType>(g.c_type);
  bool known = g.a_type == g.b_type;
  switch (g.compute) {
    case compute_f16:
    case compute_f16_pedantic:
      kind.compute = compute_f16;
      known = known && g.a_type == f16 && g.c_type == f16;
      break;
    case compute_f64:
    case compute_f64_pedantic:
      kind.compute = compute_f64;
      known = known && g.a_type == f64 && g.c_type == f64;
      break;
    case compute_s32:
    case compute_s32_pedantic:
      kind.compute = compute_s32;
      known = known && g.a_type == s8 && g.c_type == s32;
      break;
    case compute_f32:
    case compute_f32_pedantic:
      known =
          known &&
          ((g.c_type == f32 && (g.a_type == f32 || g.a_type == f16 || g.a_type == bf16 || g.a_type == s8)) ||
           (g.c_type == g.a_type && (g.a_type == f16 || g.a_type == bf16)));
      break;
    case compute_f32_fast_f16:
    case compute_f32_fast_bf16:
    case compute_f32_fast_tf32:
      known = known && g.a_type == f32 && g.c_type == f32;
      break;
    default:
      known = false;
  }
  if (!known) throw BlasError(unsupported);
  kind.a_transposed = g.a_operation != as_it_is;
  kind.b_transposed = g.b_operation != as_it_is;
  kind.batched = g.batched;
  kind.separate = g.separate;
  kind.activation = g.activation;
  kind.bias = g.bias != nullptr;
  kind.bias_of_column = kind.bias && g.bias_of_column;
  kind.second = g.second != nullptr;
  return kind;
}

void gemm(Device& device, const Context& context, const Gemm& g) {
  require(is_operation(g.a_operation) && is_operation(g.b_operation));
  require(g.m >= 0 && g.n >= 0 && g.k >= 0 && g.batches >= 0);
  require(g.a_pitch >= std::max<std::int64_t>(1, g.a_operation == as_it_is ? g.m : g.k));
  require(g.b_pitch >= std::max<std::int64_t>(1, g.b_operation == as_it_is ? g.k : g.n));
  const GemmKind kind = gemm_kind(g);
  const std::int64_t least = std::max<std::int64_t>(1, g.m);
  if (kind.is_extended())
    require(g.d_pitch >= least && (g.c_pitch == 0 || g.c_pitch >= least));  // 0: one column for all
  else
    require(g.c_pitch >= least);
  const Scalar alpha = scalar(context, g.alpha, scalar_bytes(kind.compute));
  const Scalar beta = scalar(context, g.beta, scalar_bytes(kind.compute));
  if (g.m == 0 || g.n == 0 || g.batches == 0) return;
  require(g.c != nullptr && (g.k == 0 || (g.a != nullptr && g.b != nullptr)));
  require(!kind.is_extended() || g.d != nullptr);
  const std::int64_t columns = (g.n + gemm_tile - 1) / gemm_tile;
  if (columns > most_of_grid) throw BlasError(unsupported);
  Function& function = kernel_of(device, gemm_name(kind), [&] { return gemm_text(kind); });
  const std::int64_t m = g.m, n = g.n, k = g.k;
  const std::int64_t a_next = g.a_next * bytes_of(kind.in), b_next = g.b_next * bytes_of(kind.in),
                     c_next = g.c_next * bytes_of(kind.out), d_next = g.d_next * bytes_of(kind.out),
                     bias_next = g.bias_next * bytes_of(kind.out);
  const bool bits = g.activation == Activation::relu || g.activation == Activation::relu_gradient;
  const std::int64_t second_next = bits ? g.second_next / 8 : g.second_next * bytes_of(kind.out);
  for (std::int64_t first = 0; first < g.batches; first += most_of_grid) {
    const auto moved = [&](const void* from, std::int64_t next) {
      return reinterpret_cast<Address>(from) + static_cast<Address>(first * (g.batched ? 8 : next));
    };
    const auto strided = [&](const void* from, std::int64_t next) {
      return reinterpret_cast<Address>(from) + static_cast<Address>(first * next);
    };
    const Address a = moved(g.a, a_next), b = moved(g.b, b_next), c = moved(g.c, c_next);
    const Address d = moved(g.d, d_next), bias = strided(g.bias, bias_next),
                  second = strided(g.second, second_next);
    const auto here = static_cast<unsigned>(std::min(g.batches - first, most_of_grid));
    std::vector<const void*> values = {&a,          &b,         &c,         &m,      &n,      &k,
                                       &g.a_pitch,  &g.b_pitch, &g.c_pitch, &a_next, &b_next, &c_next,
                                       alpha.value, beta.value, &alpha.at,  &beta.at};
    if (kind.is_extended())
      values.insert(values.end(),
                    {&d, &g.d_pitch, &d_next, &bias, &bias_next, &second, &g.second_pitch, &second_next});
    launch(device, context, function,
           {static_cast<unsigned>((g.m + gemm_tile - 1) / gemm_tile), static_cast<unsigned>(columns), here},
           {gemm_threads, gemm_threads, 1}, values);
  }
}

}  // namespace strata::cuda::blas
