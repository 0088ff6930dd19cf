#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace strata {

/// Square matrix over GF(2) of up to 64 rows: `rows[i]` holds, as bits, the inputs whose XOR is output bit i.
struct Gf2Matrix {
  std::vector<std::uint64_t> rows;

  int size() const { return static_cast<int>(rows.size()); }
  std::uint64_t multiply(std::uint64_t vector) const;
};

constexpr int gf2_invertible = -1;

/// Gaussian elimination. Returns `gf2_invertible`, or the index of a row that is the XOR of rows before it.
int first_dependent_row(const Gf2Matrix& matrix);

/// The built-in PAE matrix: the lowest `hashed` outputs are the remainder of the input, read as a polynomial
/// over GF(2), by a primitive polynomial of that degree; the other outputs are the inputs.
Gf2Matrix default_pae_matrix(int size, int hashed);

/// Reads a matrix file (docs/blocks/address-maps.md). Throws ConfigError naming file, row and reason when the
/// file cannot be read, is not about address bits [low_bit, low_bit + size) or is not invertible.
Gf2Matrix read_pae_matrix(const std::string& path, int low_bit, int size);

/// The text of a matrix file, for `read_pae_matrix`.
std::string to_text(const Gf2Matrix& matrix, int low_bit);

}  // namespace strata
