#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

/// Matrices of wgmma, laid out in shared memory as the figures of PTX ISA 9.1, "Shared Memory Matrix Layout",
/// show them.
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

}  // namespace strata::traces::group_bench
