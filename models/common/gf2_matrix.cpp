#include "models/common/gf2_matrix.h"

#include <array>
#include <cctype>
#include <sstream>

#include "models/common/faults.h"
#include "models/common/input_file.h"

namespace strata {
namespace {

/// Primitive polynomials over GF(2) by degree, without the leading term (bit i = coefficient of x^i).
/// Peterson and Weldon, Error-Correcting Codes, 2nd ed., appendix C.
constexpr std::array<std::uint32_t, 21> primitive_polynomials = {0,
                                                                 0b1,
                                                                 0b11,
                                                                 0b11,
                                                                 0b11,
                                                                 0b101,
                                                                 0b11,
                                                                 0b11,
                                                                 0b11101,
                                                                 0b10001,
                                                                 0b1001,
                                                                 0b101,
                                                                 0b1010011,
                                                                 0b11011,
                                                                 0b10001000011,
                                                                 0b11,
                                                                 0b1000000001011,
                                                                 0b1001,
                                                                 0b10000001,
                                                                 0b100111,
                                                                 0b1001};

[[noreturn]] void fail(const std::string& path, int line, const std::string& message) {
  throw ConfigError(Faults{Fault{{path, line, 0}, message}});
}

std::string row_name(int bit) {
  return "row of output bit " + std::to_string(bit);
}

/// Keeps `rows` in the order of the file: the highest address bit first.
class MatrixReader {
 public:
  MatrixReader(const std::string& path, int low_bit, int size)
      : path_(path), low_bit_(low_bit), size_(size) {}

  Gf2Matrix read() {
    std::istringstream in;
    try {
      in.str(read_input(path_));
    } catch (const InputError& error) {
      fail(path_, 0, std::string("cannot read the matrix file: ") + error.what());
    }
    std::string text;
    while (std::getline(in, text)) {
      ++line_;
      take(text.substr(0, text.find('#')));
    }
    if (!header_) fail(path_, line_, "the line `" + header_text() + "` is missing");
    if (static_cast<int>(rows_.size()) != size_)
      fail(path_, line_,
           "has " + std::to_string(rows_.size()) + " rows; " + std::to_string(size_) +
               " are needed, one for each bit");
    Gf2Matrix matrix;
    matrix.rows.assign(rows_.rbegin(), rows_.rend());
    const int dependent = first_dependent_row(matrix);
    if (dependent != gf2_invertible)
      fail(path_, lines_[static_cast<std::size_t>(size_ - 1 - dependent)],
           "matrix is not invertible: the " + row_name(low_bit_ + dependent) +
               (matrix.rows[static_cast<std::size_t>(dependent)] == 0 ? " is zero"
                                                                      : " is the XOR of rows of lower bits"));
    return matrix;
  }

 private:
  std::string header_text() const {
    return "bits " + std::to_string(low_bit_ + size_ - 1) + ".." + std::to_string(low_bit_);
  }

  void take(const std::string& text) {
    std::string packed;
    for (const char c : text)
      if (!std::isspace(static_cast<unsigned char>(c)) && c != '_') packed += c;
    if (packed.empty()) return;
    if (packed.compare(0, 4, "bits") == 0) return take_header(packed.substr(4));
    if (!header_) fail(path_, line_, "the line `" + header_text() + "` must come before the rows");
    take_row(packed);
  }

  void take_header(const std::string& range) {
    if (header_) fail(path_, line_, "second `bits` line");
    const std::string wanted = header_text().substr(5);
    if (range != wanted)
      fail(path_, line_, "matrix is for bits " + range + "; this address map needs bits " + wanted);
    header_ = true;
  }

  void take_row(const std::string& digits) {
    const int bit = low_bit_ + size_ - 1 - static_cast<int>(rows_.size());
    if (bit < low_bit_) fail(path_, line_, "more than " + std::to_string(size_) + " rows");
    if (static_cast<int>(digits.size()) != size_)
      fail(path_, line_,
           row_name(bit) + " has " + std::to_string(digits.size()) + " columns; " + std::to_string(size_) +
               " are needed");
    std::uint64_t row = 0;
    for (const char c : digits) {
      if (c != '0' && c != '1') fail(path_, line_, row_name(bit) + ": '" + c + "' is neither 0 nor 1");
      row = row << 1 | static_cast<std::uint64_t>(c - '0');
    }
    rows_.push_back(row);
    lines_.push_back(line_);
  }

  std::string path_;
  int low_bit_;
  int size_;
  int line_ = 0;
  bool header_ = false;
  std::vector<std::uint64_t> rows_;
  std::vector<int> lines_;
};

}  // namespace

std::uint64_t Gf2Matrix::multiply(std::uint64_t vector) const {
  std::uint64_t product = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    product |= static_cast<std::uint64_t>(__builtin_parityll(rows[i] & vector)) << i;
  return product;
}

int first_dependent_row(const Gf2Matrix& matrix) {
  std::array<std::uint64_t, 64> pivots{};  // pivots[b]: reduced row whose highest set bit is b
  for (int i = 0; i < matrix.size(); ++i) {
    std::uint64_t row = matrix.rows[static_cast<std::size_t>(i)];
    while (row != 0) {
      std::uint64_t& pivot = pivots[static_cast<std::size_t>(63 - __builtin_clzll(row))];
      if (pivot == 0) {
        pivot = row;
        break;
      }
      row ^= pivot;
    }
    if (row == 0) return i;
  }
  return gf2_invertible;
}

Gf2Matrix default_pae_matrix(int size, int hashed) {
  Gf2Matrix matrix;
  for (int i = 0; i < size; ++i) matrix.rows.push_back(i < hashed ? 0 : std::uint64_t{1} << i);
  if (hashed == 0) return matrix;
  const std::uint32_t polynomial = primitive_polynomials.at(static_cast<std::size_t>(hashed));
  std::uint32_t power = 1;  // x^column modulo the polynomial
  for (int column = 0; column < size; ++column) {
    for (int i = 0; i < hashed; ++i)
      matrix.rows[static_cast<std::size_t>(i)] |= static_cast<std::uint64_t>(power >> i & 1) << column;
    const bool carry = (power >> (hashed - 1) & 1) != 0;
    power = (power << 1) & ((1U << hashed) - 1);
    if (carry) power ^= polynomial;
  }
  return matrix;
}

Gf2Matrix read_pae_matrix(const std::string& path, int low_bit, int size) {
  return MatrixReader(path, low_bit, size).read();
}

std::string to_text(const Gf2Matrix& matrix, int low_bit) {
  const int size = matrix.size();
  std::string text = "bits " + std::to_string(low_bit + size - 1) + ".." + std::to_string(low_bit) + "\n";
  for (int i = size - 1; i >= 0; --i) {
    for (int column = size - 1; column >= 0; --column)
      text += (matrix.rows[static_cast<std::size_t>(i)] >> column & 1) != 0 ? '1' : '0';
    text += '\n';
  }
  return text;
}

}  // namespace strata
