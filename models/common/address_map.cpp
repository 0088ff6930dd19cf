#include "models/common/address_map.h"

#include <array>

#include "models/common/gf2_matrix.h"
#include "models/common/reciprocal.h"

namespace strata {
namespace {

constexpr int address_bits = 40;  // PAE mixes the bits below this one: 1 TB of device memory
constexpr int max_hashed = 20;    // 1024 channels of 1024 slices

bool is_power_of_two(std::uint64_t value) {
  return value != 0 && (value & (value - 1)) == 0;
}

int log2_floor(std::uint64_t value) {
  return 63 - __builtin_clzll(value);
}
int log2_ceil(std::uint64_t value) {
  return value <= 1 ? 0 : log2_floor(value - 1) + 1;
}

/// Splits a partition number into channel, slice and rest. Powers of two by shifts, others by reciprocals.
class Splitter {
 public:
  explicit Splitter(const AddressMapParams& params)
      : channels_(static_cast<std::uint64_t>(params.channels)),
        slices_(static_cast<std::uint64_t>(params.slices_per_channel)),
        powers_(is_power_of_two(channels_.divisor()) && is_power_of_two(slices_.divisor())),
        channel_bits_(log2_floor(channels_.divisor())) {}

  bool powers() const { return powers_; }
  std::uint64_t above_channel(std::uint64_t partition) const {
    return powers_ ? partition >> channel_bits_ : channels_.quotient(partition);
  }
  Location locate(std::uint64_t partition) const {
    if (powers_)
      return {static_cast<int>(partition & (channels_.divisor() - 1)),
              static_cast<int>(partition >> channel_bits_ & (slices_.divisor() - 1))};
    const std::uint64_t above = channels_.quotient(partition);
    return {static_cast<int>(partition - above * channels_.divisor()),
            static_cast<int>(slices_.remainder(above))};
  }

 private:
  Reciprocal channels_;
  Reciprocal slices_;
  bool powers_;
  int channel_bits_;
};

/// What both kinds share: the partition number is permuted, then split.
class SplitMap : public AddressMap {
 protected:
  explicit SplitMap(const AddressMapParams& params)
      : AddressMap(params),
        splitter_(params),
        partition_bit_(log2_floor(params.partition)),
        line_bit_(log2_floor(params.line)),
        within_mask_(params.partition / params.line - 1) {}

  std::uint64_t local(std::uint64_t partition, Address address) const {
    return splitter_.above_channel(partition) << (partition_bit_ - line_bit_) |
           (address >> line_bit_ & within_mask_);
  }

  Splitter splitter_;
  int partition_bit_;
  int line_bit_;
  std::uint64_t within_mask_;
};

class BitsMap final : public SplitMap {
 public:
  explicit BitsMap(const AddressMapParams& params) : SplitMap(params) {}
  Location locate(Address address) const override { return splitter_.locate(address >> partition_bit_); }
  std::uint64_t local_line(Address address) const override {
    return local(address >> partition_bit_, address);
  }
};

class PaeMap final : public SplitMap {
 public:
  PaeMap(const AddressMapParams& params, const Gf2Matrix& matrix) : SplitMap(params) {
    for (std::size_t byte = 0; byte < tables; ++byte)
      for (std::size_t value = 0; value < 256; ++value) {
        const std::uint64_t product = matrix.multiply(std::uint64_t{value} << 8 * byte);
        full_[byte][value] = product;
        low_[byte][value] = static_cast<std::uint32_t>(product);
      }
  }
  Location locate(Address address) const override {
    if (!splitter_.powers()) return splitter_.locate(permuted(address));
    const std::uint64_t p =
        mixed_part(address);  // the lower half of the product holds channel and slice bits
    return splitter_.locate(low_[0][p & 255] ^ low_[1][p >> 8 & 255] ^ low_[2][p >> 16 & 255] ^
                            low_[3][p >> 24 & 255] ^ low_[4][p >> 32]);
  }
  std::uint64_t local_line(Address address) const override { return local(permuted(address), address); }

 private:
  static constexpr std::size_t tables = 5;  // 40 - 5 bits at most
  std::uint64_t mixed_part(Address address) const {
    return (address & ((Address{1} << address_bits) - 1)) >> partition_bit_;
  }
  std::uint64_t permuted(Address address) const {
    const std::uint64_t p = mixed_part(address);
    const std::uint64_t above = address >> address_bits << (address_bits - partition_bit_);
    return above | (full_[0][p & 255] ^ full_[1][p >> 8 & 255] ^ full_[2][p >> 16 & 255] ^
                    full_[3][p >> 24 & 255] ^ full_[4][p >> 32]);
  }

  std::array<std::array<std::uint64_t, 256>, tables> full_;
  std::array<std::array<std::uint32_t, 256>, tables> low_;
};

}  // namespace

void AddressMapParams::for_each_param(ParamVisitor& visitor) {
  visitor.choice(
      {"kind", "", "plain bit slicing, or PAE: an invertible XOR matrix over the page-address bits"}, kind,
      {{Kind::bits, "bits"}, {Kind::pae, "pae"}});
  visitor.bytes({"line", "bytes", "cache line"}, line, {32, 256, true});
  visitor.bytes({"partition", "bytes", "contiguous bytes that stay on one channel and slice"}, partition,
                {32, static_cast<std::int64_t>(64 * KiB), true});
  visitor.integer({"channels", "channels", "memory controllers"}, channels, {1, 1024});
  visitor.integer({"slices_per_channel", "slices", "LLC slices of each memory controller"},
                  slices_per_channel, {1, 1024});
  visitor.text({"matrix", "", "file with the rows of the PAE matrix; empty for the built-in matrix"}, matrix);
}

Faults AddressMapParams::validate() const {
  Faults faults;
  if (partition < line)
    faults.push_back(param_fault("partition", "is " + to_text(partition) + ", less than a line (" +
                                                  to_text(line) + "); allowed: a multiple of the line"));
  if (kind == Kind::bits && !matrix.empty())
    faults.push_back(
        param_fault("matrix", "is '" + matrix + "' but kind is bits; only kind pae has a matrix"));
  return faults;
}

std::unique_ptr<AddressMap> make_address_map(const AddressMapParams& params) {
  AddressMapParams checked = params;
  require_valid(checked, "address_map");
  if (params.kind == AddressMapParams::Kind::bits) return std::make_unique<BitsMap>(params);
  const int low_bit = log2_floor(params.partition);
  const int size = address_bits - low_bit;
  if (!params.matrix.empty())
    return std::make_unique<PaeMap>(params, read_pae_matrix(params.matrix, low_bit, size));
  const int hashed = log2_ceil(static_cast<std::uint64_t>(params.channels) *
                               static_cast<std::uint64_t>(params.slices_per_channel));
  static_assert(max_hashed <= address_bits - 16, "the hashed bits must fit above the largest partition");
  const Gf2Matrix matrix = default_pae_matrix(size, hashed);
  const int dependent = first_dependent_row(matrix);
  if (dependent != gf2_invertible)
    throw ConfigError("address_map: built-in matrix of " + std::to_string(hashed) +
                      " hashed bits is not invertible");
  return std::make_unique<PaeMap>(params, matrix);
}

}  // namespace strata
