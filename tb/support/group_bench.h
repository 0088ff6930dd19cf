#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "traces/ptx/ptx.h"

/// Matrices of wgmma, laid out in shared memory as the figures of PTX ISA 9.1, "Shared Memory Matrix Layout",
/// show them.

/// Products of groups of four warps (wgmma) for tests: a kernel around the instruction, and its fragments.

namespace strata::traces::group_bench {

/// A matrix of 64 rows of a, or of N columns of b, by k; elements as bits.
struct Matrix {
  unsigned outer = 0, inner = 0, bits = 0;
  std::vector<std::uint32_t> at;
  Matrix(unsigned o, unsigned k, unsigned b) : outer(o), inner(k), bits(b), at(std::size_t{o} * k) {}
  std::uint32_t& operator()(unsigned o, unsigned k) { return at[std::size_t{o} * inner + k]; }
  std::uint32_t operator()(unsigned o, unsigned k) const { return at[std::size_t{o} * inner + k]; }
};

/// How it lies: transposed or not, pieces of 16 bytes that are swizzled (1: none).
struct Form {
  bool transposed = false;
  unsigned pieces = 8;
};

/// The image of a matrix in memory that begins at a multiple of 128, and its descriptor. Atoms are 8 lines
/// of `pieces` times 16 bytes; piece p of line l lies where p ^ l (of 8 pieces), p ^ l / 2 (of 4), p ^ l / 4
/// (of 2) is, since lines shorter than 128 bytes share one.
class Image {
 public:
  Image(const Matrix& m, Form form, unsigned begin) : form_(form), begin_(begin) {
    const unsigned line = form.pieces * 16, per_piece = 128 / m.bits;
    const unsigned along = (form.transposed ? m.outer : m.inner) / per_piece,
                   across = form.transposed ? m.inner : m.outer;
    atoms_along_ = (along + form.pieces - 1) / form.pieces;
    bytes.resize(std::size_t{atoms_along_} * ((across + 7) / 8) * 8 * line);
    for (unsigned o = 0; o < m.outer; ++o)
      for (unsigned k = 0; k < m.inner; ++k) {
        const unsigned first = form.transposed ? o : k, second = form.transposed ? k : o;
        put(place(first / per_piece, second) * 8 + std::size_t{first % per_piece} * m.bits, m(o, k), m.bits);
      }
  }
  /// `from`: pieces along k (of a transposed matrix: k) at which the product begins.
  std::uint64_t descriptor(unsigned from = 0) const {
    const unsigned atom = form_.pieces * 128;
    unsigned leading = 0, stride = 0, start = begin_;
    if (form_.transposed) {  // atoms lie along rows first
      stride = form_.pieces == 1 ? atom : atom * atoms_along_;
      leading = form_.pieces == 1 ? atom * atoms_along_ : atom;
      start += from / 8 * atom * atoms_along_;
    } else {
      stride = atom * atoms_along_;
      leading = form_.pieces == 1 ? atom : 16;
      start += from / form_.pieces * atom + from % form_.pieces * 16;
    }
    const std::uint64_t code[] = {0, 0, 3, 0, 2, 0, 0, 0, 1};
    return std::uint64_t{start / 16} | std::uint64_t{leading / 16} << 16 | std::uint64_t{stride / 16} << 32 |
           code[form_.pieces] << 62 | std::uint64_t{form_.pieces > 1 ? begin_ / 128 % 8 : 0} << 49;
  }
  std::vector<std::uint8_t> bytes;

 private:
  std::size_t place(unsigned piece, unsigned line) const {
    const unsigned p = form_.pieces, l = line % 8;
    const unsigned swizzled = piece % p ^ (p == 8 ? l : p == 4 ? l / 2 : p == 2 ? l / 4 : 0);
    const unsigned atom = line / 8 * atoms_along_ + piece / p;
    return std::size_t{atom} * p * 128 + l * p * 16 + swizzled * 16;
  }
  void put(std::size_t bit, std::uint32_t value, unsigned bits) {
    for (unsigned n = 0; n < bits; ++n)
      bytes[(bit + n) / 8] =
          static_cast<std::uint8_t>(bytes[(bit + n) / 8] | (value >> n & 1) << (bit + n) % 8);
  }
  Form form_;
  unsigned begin_, atoms_along_ = 1;
};

inline std::string list(const char* name, unsigned count) {
  std::string text = "{";
  for (unsigned n = 0; n < count; ++n) text += (n == 0 ? "%" : ", %") + (name + std::to_string(n));
  return text + "}";
}

/// What a kernel is given: `words` registers of each thread, %d first, then %a, and the image of shared
/// memory.
struct Run {
  std::string body;               ///< reads and writes %d; %x and %y are descriptors, %m metadata
  unsigned d = 0, a = 0;          ///< registers
  std::vector<std::uint32_t> in;  ///< by thread
  std::vector<std::uint8_t> image;
  std::uint64_t x = 0, y = 0;
  unsigned threads = 128;
};

inline std::string text(const Run& r) {
  const std::size_t bytes = (r.image.size() + 2047) / 2048 * 2048;
  std::string t =
      ".version 8.4\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 image, .param "
      ".u64 from, .param .u64 to, .param .u64 x, .param .u64 y)\n{\n.shared .align 1024 .b8 s[" +
      std::to_string(bytes) +
      "];\n.reg .b32 %d<129>, %a<5>, %t<9>, %m;\n.reg .b64 %l<9>, %x, "
      "%y;\n.reg .pred %p, %q;\nld.param.u64 %l0, [image];\nld.param.u64 %l1, [from];\nld.param.u64 "
      "%l2, [to];\nld.param.u64 %x, [x];\nld.param.u64 %y, [y];\nmov.u32 %t0, %tid.x;\n"
      "shl.b32 %t1, %t0, 4;\ncopy:\ncvt.u64.u32 %l3, %t1;\nadd.u64 %l3, %l0, %l3;\nld.global.v4.u32 "
      "{%t4, %t5, %t6, %t7}, [%l3];\nmov.u32 %t2, s;\nadd.u32 %t2, %t2, %t1;\nst.shared.v4.u32 "
      "[%t2], {%t4, %t5, %t6, %t7};\nadd.u32 %t1, %t1, " +
      std::to_string(16 * r.threads) + ";\nsetp.lt.u32 %p, %t1, " + std::to_string(bytes) +
      ";\n@%p bra copy;\nfence.proxy.async;\nbar.sync 0;\n";
  const unsigned words = r.d + r.a + 1;
  t += "mad.wide.u32 %l4, %t0, " + std::to_string(4 * words) + ", %l1;\n";
  for (unsigned n = 0; n < words; ++n)
    t += "ld.global.u32 %" +
         (n < r.d         ? "d" + std::to_string(n)
          : n < r.d + r.a ? "a" + std::to_string(n - r.d)
                          : "m") +
         ", [%l4+" + std::to_string(4 * n) + "];\n";
  t += "setp.eq.u32 %p, 0, 0;\nsetp.ne.u32 %q, 0, 0;\nwgmma.fence.sync.aligned;\n" + r.body +
       "\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\nmad.wide.u32 %l5, %t0, " +
       std::to_string(4 * r.d) + ", %l2;\n";
  for (unsigned n = 0; n < r.d; ++n)
    t += "st.global.u32 [%l5+" + std::to_string(4 * n) + "], %d" + std::to_string(n) + ";\n";
  return t + "ret;\n}\n";
}

/// The launch, whose result is the third argument.
inline PtxLaunch launch(const Run& r, GlobalMemory& memory) {
  PtxLaunch l;
  l.program = PtxProgram::parse(text(r), "group.ptx");
  l.kernel = "k";
  l.block.x = r.threads;
  std::vector<std::uint8_t> image = r.image;
  image.resize((image.size() + 2047) / 2048 * 2048);
  const Address at = memory.upload(image, "image"), from = memory.upload(r.in, "in"),
                to = memory.upload(std::vector<std::uint32_t>(std::size_t{r.threads} * r.d), "out");
  l.arguments = {at, from, to, r.x, r.y};
  return l;
}
/// %d of all threads.
inline std::vector<std::uint32_t> run(const Run& r) {
  GlobalMemory memory;
  const PtxLaunch l = launch(r, memory);
  execute(l, memory);
  Address to = 0;
  std::memcpy(&to, l.arguments[2].bytes.data(), sizeof(to));
  return memory.load<std::uint32_t>(to, std::size_t{r.threads} * r.d);
}

/// Row and column of element i of a thread's sums (figures of the accumulator D).
inline unsigned sum_row(unsigned thread, unsigned i) {
  return thread / 32 % 4 * 16 + thread % 32 / 4 + i / 2 % 2 * 8;
}
inline unsigned sum_column(unsigned thread, unsigned i) {
  return i / 4 * 8 + thread % 4 * 2 + i % 2;
}
/// The registers of a of a thread: four, of 32 bits of elements that follow each other.
inline std::vector<std::uint32_t> fragment(const Matrix& a, unsigned thread) {
  std::vector<std::uint32_t> words(4);
  const unsigned each = 32 / a.bits;
  for (unsigned r = 0; r < 4; ++r)
    for (unsigned part = 0; part < each; ++part) {
      const unsigned row = thread / 32 % 4 * 16 + thread % 32 / 4 + r % 2 * 8;
      words[r] |= a(row, thread % 4 * each + part + r / 2 * 4 * each) << part * a.bits;
    }
  return words;
}

}  // namespace strata::traces::group_bench
