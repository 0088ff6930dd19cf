// wgmma: against sums written out here, where they are exact, and against mma, whose bits are those of an
// H100 (gpu_cases_test.cpp).
#include <random>

#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "tb/support/group_bench.h"
#include "tb/support/ptx_bench.h"

using namespace strata::traces;
using namespace strata::traces::group_bench;

namespace {

struct Type {
  const char* name;
  unsigned bits;
  std::vector<std::uint32_t> numbers;  ///< 0, 1, 2, -1, -2; of u8: 0, 1, 2, 3, 255
  bool whole = false;
};
const Type f16{"f16", 16, {0, 0x3c00, 0x4000, 0xbc00, 0xc000}};
const Type bf16{"bf16", 16, {0, 0x3f80, 0x4000, 0xbf80, 0xc000}};
const Type tf32{"tf32", 32, {0, 0x3f800000, 0x40000000, 0xbf800000, 0xc0000000}};
const Type e4m3{"e4m3", 8, {0, 0x38, 0x40, 0xb8, 0xc0}};
const Type e5m2{"e5m2", 8, {0, 0x3c, 0x40, 0xbc, 0xc0}};
const Type s8{"s8", 8, {0, 1, 2, 0xff, 0xfe}, true};
const Type u8{"u8", 8, {0, 1, 2, 3, 255}, true};

int value(const Type& t, std::uint32_t bits) {
  static const int real[] = {0, 1, 2, -1, -2}, natural[] = {0, 1, 2, 3, 255};
  for (unsigned n = 0; n < 5; ++n)
    if (t.numbers[n] == bits) return (t.name == u8.name ? natural : real)[n];
  return 0;
}
Matrix draw(const Type& t, unsigned outer, unsigned inner, std::mt19937& random) {
  Matrix m(outer, inner, t.bits);
  for (std::uint32_t& e : m.at) e = t.numbers[random() % 5];
  return m;
}
/// A whole number as f16 (up to 2048) or as f32.
std::uint32_t real_bits(int n, bool half) {
  const float f = static_cast<float>(n);
  std::uint32_t bits;
  std::memcpy(&bits, &f, 4);
  if (!half) return bits;
  return n == 0 ? 0 : (bits >> 16 & 0x8000) | (((bits >> 23 & 255) - 112) << 10) | (bits >> 13 & 0x3ff);
}

struct Case {
  Type a, b;
  unsigned n = 8, k_steps = 1;
  bool half = false, in_registers = false, adds = true;
  Form form_a{}, form_b{};
  int sign_a = 1, sign_b = 1;
  unsigned begin = 0;  ///< of a
};

std::string spelling(const Case& c) {
  const unsigned k = 256 / c.a.bits;
  return "wgmma.mma_async.sync.aligned.m64n" + std::to_string(c.n) + "k" + std::to_string(k) +
         (c.a.whole ? ".s32."
          : c.half  ? ".f16."
                    : ".f32.") +
         c.a.name + "." + c.b.name;
}

/// A product of k_steps instructions, each with the descriptors of its columns of a.
void check(const Case& c) {
  INFO(spelling(c) << (c.in_registers ? " a in registers" : "") << " a " << c.form_a.transposed
                   << c.form_a.pieces << " b " << c.form_b.transposed << c.form_b.pieces);
  std::mt19937 random(c.n * 31 + c.form_a.pieces * 7 + c.form_b.pieces);
  const unsigned k = 256 / c.a.bits, inner = k * c.k_steps, per_thread = c.n / 2;
  const Matrix a = draw(c.a, 64, inner, random), b = draw(c.b, c.n, inner, random);
  Run r;
  r.d = c.half ? c.n / 4 : c.n / 2;
  r.a = c.in_registers ? 4 : 0;
  const Image of_a(a, c.form_a, c.begin);
  r.image.resize(c.begin);
  r.image.insert(r.image.end(), of_a.bytes.begin(), of_a.bytes.end());
  r.image.resize((r.image.size() + 1023) / 1024 * 1024);
  const Image of_b(b, c.form_b, static_cast<unsigned>(r.image.size()));
  r.image.insert(r.image.end(), of_b.bytes.begin(), of_b.bytes.end());
  const std::string flags =
      (c.a.whole ? "" : ", " + std::to_string(c.sign_a) + ", " + std::to_string(c.sign_b)) +
      (c.a.bits != 16 ? ""
       : c.in_registers
           ? ", " + std::to_string(c.form_b.transposed)
           : ", " + std::to_string(c.form_a.transposed) + ", " + std::to_string(c.form_b.transposed));
  for (unsigned step = 0; step < c.k_steps; ++step) {
    const auto number = [](std::uint64_t n) { return std::to_string(n); };
    const unsigned piece = step * 2;  // 32 bytes of each row
    r.body += "mov.b64 %x, " + number(of_a.descriptor(c.form_a.transposed ? step * k : piece)) +
              ";\nmov.b64 %y, " + number(of_b.descriptor(c.form_b.transposed ? step * k : piece)) + ";\n" +
              spelling(c) + " " + list("d", r.d) + ", " + (c.in_registers ? list("a", 4) : "%x") + ", %y, " +
              (c.adds || step != 0 ? "%p" : "%q") + flags + ";\n";
  }
  std::vector<int> sums(std::size_t{128} * per_thread);
  for (unsigned t = 0; t < 128; ++t) {
    std::vector<std::uint32_t> words(r.d);
    for (unsigned i = 0; i < per_thread; ++i) {
      const int first = static_cast<int>(random() % 41) - 20;
      int& sum = sums[std::size_t{t} * per_thread + i];
      sum = c.adds ? first : 0;
      for (unsigned x = 0; x < inner; ++x)
        sum += c.sign_a * c.sign_b * value(c.a, a(sum_row(t, i), x)) * value(c.b, b(sum_column(t, i), x));
      const std::uint32_t bits = c.a.whole ? static_cast<std::uint32_t>(first) : real_bits(first, c.half);
      words[c.half ? i / 2 : i] |= bits << (c.half ? i % 2 * 16 : 0);
    }
    r.in.insert(r.in.end(), words.begin(), words.end());
    if (c.in_registers) {
      const auto of_thread = fragment(a, t);
      r.in.insert(r.in.end(), of_thread.begin(), of_thread.end());
    }
    r.in.push_back(0);
  }
  const auto d = run(r);
  unsigned wrong = 0;
  for (unsigned t = 0; t < 128; ++t)
    for (unsigned i = 0; i < per_thread; ++i) {
      const int sum = sums[std::size_t{t} * per_thread + i];
      const std::uint32_t word = d[std::size_t{t} * r.d + (c.half ? i / 2 : i)];
      const std::uint32_t found = c.half ? word >> i % 2 * 16 & 0xffff : word;
      wrong += found != (c.a.whole ? static_cast<std::uint32_t>(sum) : real_bits(sum, c.half)) ? 1 : 0;
    }
  CHECK(wrong == 0);
}

/// d of wgmma and of mma: random bits of all kinds, or such as keep sums finite.
void check_like_mma(const char* type, bool half, bool mild) {
  INFO(type << (half ? " f16" : " f32") << (mild ? " mild" : ""));
  std::mt19937 random(20271123);
  const unsigned bits = type == tf32.name ? 32 : 16, k = 256 / bits, n = 16, d = half ? n / 4 : n / 2;
  const std::uint32_t keep = bits == 32 ? (mild ? 0xbfffffff : ~0U) : (mild ? 0xbfff : 0xffff);
  Matrix a(64, k, bits), b(n, k, bits);
  for (Matrix* m : {&a, &b})
    for (std::uint32_t& e : m->at) e = static_cast<std::uint32_t>(random()) & keep;
  const Image of_a(a, {}, 0), of_b(b, {}, 8192);
  Run r;
  r.image = of_a.bytes;
  r.image.resize(8192);
  r.image.insert(r.image.end(), of_b.bytes.begin(), of_b.bytes.end());
  r.x = of_a.descriptor();
  r.y = of_b.descriptor();
  r.d = d;
  const std::string shape = "k" + std::to_string(k), sums = half ? "f16" : "f32", t = type;
  r.body = "wgmma.mma_async.sync.aligned.m64n16" + shape + "." + sums + "." + t + "." + t + " " +
           list("d", d) + ", %x, %y, %p, 1, 1" + (bits == 16 ? ", 0, 0;" : ";");
  for (unsigned n_word = 0; n_word < 128 * (d + 1); ++n_word)
    r.in.push_back(static_cast<std::uint32_t>(random()) & (half   ? (mild ? 0xbfffbfff : ~0U)
                                                           : mild ? 0xbfffffff
                                                                  : ~0U));
  Run plain = r;  // the same with a and b in registers
  plain.a = 4;
  plain.in.clear();
  plain.body =
      ".reg .b32 %b<4>;\nmul.wide.u32 %l6, %t0, 16;\nadd.u64 %l6, %l6, %l0;\nld.global.v4.u32 {%b0, %b1, "
      "%b2, %b3}, [%l6];\n";
  plain.image.assign(128 * 16, 0);
  for (unsigned thread = 0; thread < 128; ++thread) {
    const auto from = r.in.begin() + static_cast<long>(thread * (d + 1));
    plain.in.insert(plain.in.end(), from, from + d);
    const auto of_thread = fragment(a, thread);
    plain.in.insert(plain.in.end(), of_thread.begin(), of_thread.end());
    plain.in.push_back(0);
    for (unsigned word = 0; word < 4; ++word) {  // two of each eight columns: rows of 4 bytes by k
      std::uint32_t all = 0;
      const unsigned each = 32 / bits, lane = thread % 32;
      for (unsigned part = 0; part < each; ++part)
        all |= b(word / 2 * 8 + lane / 4, lane % 4 * each + part + word % 2 * 4 * each) << part * bits;
      std::memcpy(&plain.image[thread * 16 + word * 4], &all, 4);
    }
  }
  const std::string each =
      "mma.sync.aligned.m16n8" + shape + ".row.col." + sums + "." + t + "." + t + "." + sums;
  const std::string first = half ? "{%d0, %d1}" : "{%d0, %d1, %d2, %d3}",
                    second = half ? "{%d2, %d3}" : "{%d4, %d5, %d6, %d7}";
  plain.body += each + " " + first + ", {%a0, %a1, %a2, %a3}, {%b0, %b1}, " + first + ";\n" + each + " " +
                second + ", {%a0, %a1, %a2, %a3}, {%b2, %b3}, " + second + ";\n";
  CHECK(run(r) == run(plain));
}

}  // namespace

TEST_CASE("ptx wgmma: every type, a from memory and from registers, every kind of width") {
  const std::vector<std::pair<Type, Type>> types = {{f16, f16},   {bf16, bf16}, {tf32, tf32}, {e4m3, e4m3},
                                                    {e4m3, e5m2}, {e5m2, e4m3}, {e5m2, e5m2}, {s8, s8},
                                                    {s8, u8},     {u8, s8},     {u8, u8}};
  for (const auto& [a, b] : types)
    for (const bool in_registers : {false, true})
      for (const bool half : {false, true}) {
        if (half && (a.whole || a.bits == 32 || a.name == bf16.name)) continue;
        for (const unsigned n : {8U, 24U, 256U}) {
          Case c{a, b, n};
          c.half = half;
          c.in_registers = in_registers;
          c.adds = n != 24;
          if (!a.whole && n == 8) c.sign_a = -1;
          if (!a.whole && n == 256) c.sign_b = -1;
          check(c);
        }
      }
}

TEST_CASE("ptx wgmma: every swizzle, by rows and by columns, where the product begins inside of a pattern") {
  for (const unsigned pieces_a : {1U, 2U, 4U, 8U})
    for (const unsigned pieces_b : {1U, 2U, 4U, 8U}) {
      for (const bool a : {false, true})
        for (const bool b : {false, true}) {
          Case c{f16, f16, 40, 4};
          c.form_a = {a, pieces_a};
          c.form_b = {b, pieces_b};
          check(c);
        }
      for (const Type& t : {tf32, s8, e5m2}) {
        Case c{t, t, 16, 3};
        c.form_a = {false, pieces_a};
        c.form_b = {false, pieces_b};
        check(c);
      }
    }
}

TEST_CASE("ptx wgmma: a pattern that begins elsewhere than at a multiple of its size") {
  for (const unsigned pieces : {1U, 2U, 4U, 8U})
    for (const unsigned begin : {128U, 640U}) {
      Case c{f16, f16, 8, 2};
      c.form_a = {pieces == 4, pieces};
      c.begin = begin;
      check(c);
    }
}

TEST_CASE("ptx wgmma: floats are added as mma adds them") {
  for (const bool mild : {false, true}) {
    check_like_mma("f16", false, mild);
    check_like_mma("f16", true, mild);
    check_like_mma("bf16", false, mild);
    check_like_mma(tf32.name, false, mild);
  }
}
