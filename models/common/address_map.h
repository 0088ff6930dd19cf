#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/common/gf2_matrix.h"
#include "models/common/policy_table.h"
#include "models/common/reciprocal.h"
#include "models/common/units.h"

namespace strata {

/// Where a line lives below the SMs.
struct Location {
  int channel;  ///< memory controller
  int slice;    ///< LLC slice within the controller's group
};

/// How line addresses spread over memory controllers, LLC slices and DRAM banks.
/// `bits` slices the address plainly (Hynix-like). `pae` first multiplies the address bits from the partition
/// bit up to bit 39 with an invertible matrix over GF(2); see docs/blocks/address-maps.md.
struct AddressMapParams final : ParamSet {
  enum class Kind : int { bits, pae };  ///< places in AddressMapRow::table(), those of plug-ins behind
  Kind kind = Kind::bits;
  Bytes line{128};
  Bytes partition{256};  ///< contiguous bytes that stay on one channel
  int channels = 8;
  int slices_per_channel = 8;
  std::string matrix;  ///< pae: file of GF(2) rows, empty = the built-in matrix
  void for_each_param(ParamVisitor& visitor) override;
  Faults validate() const override;
};

/// Policy: how the partitions of memory are permuted before their numbers are split into channel, slice and
/// what is left: the lowest digits choose the channel, the next ones the slice.
class PartitionMap {
 public:
  virtual ~PartitionMap() = default;
  /// A number for each partition, the address divided by its size: below 2^44 for one below 2^44, and no two
  /// the same.
  virtual std::uint64_t permute(std::uint64_t partition) const = 0;
};

/// Immutable after construction; shared by all blocks of a platform. Any number of channels and slices: a
/// power of two takes bits, anything else a modulo, and the remaining bits stay dense (`local_line`). Plain
/// bits are not permuted; else a partition's number is multiplied by tables.
class AddressMap {
 public:
  /// `matrix`: what permutes partition numbers; null for plain bits. See make_address_map().
  AddressMap(const AddressMapParams& params, const Gf2Matrix* matrix);
  /// Throws ConfigError when `map` gives two of the first partitions one number.
  AddressMap(const AddressMapParams& params, std::unique_ptr<const PartitionMap> map);

  Location locate(Address address) const {
    const std::uint64_t partition = partition_of(address);
    if (powers_)
      return {static_cast<int>(partition & (channel_count_.divisor() - 1)),
              static_cast<int>(partition >> channel_bits_ & (slice_count_.divisor() - 1))};
    const std::uint64_t above = channel_count_.quotient(partition);
    return {static_cast<int>(partition - above * channel_count_.divisor()),
            static_cast<int>(slice_count_.remainder(above))};
  }
  /// Index of the line within its channel, dense from 0: what the DRAM decodes into bank, row and column.
  /// `local_line / lines_per_partition() % slices_per_channel()` is the slice: (channel, local_line) names a
  /// line.
  std::uint64_t local_line(Address address) const {
    const std::uint64_t partition = partition_of(address);
    const std::uint64_t above = powers_ ? partition >> channel_bits_ : channel_count_.quotient(partition);
    return above << (partition_bit_ - line_bit_) | (address >> line_bit_ & within_mask_);
  }
  /// The line among those of its slice, dense from 0, and which slice of the channel that is.
  struct OfSlice {
    std::uint64_t number;
    std::uint64_t slice;
  };
  OfSlice line_of_slice(Address address) const {
    const std::uint64_t partition = partition_of(address);
    const std::uint64_t above = powers_ ? partition >> channel_bits_ : channel_count_.quotient(partition);
    const std::uint64_t rest = powers_ ? above >> slice_bits_ : slice_count_.quotient(above);
    const std::uint64_t slice =
        powers_ ? above & (slice_count_.divisor() - 1) : above - rest * slice_count_.divisor();
    return {rest << (partition_bit_ - line_bit_) | (address >> line_bit_ & within_mask_), slice};
  }
  int channels() const { return params_.channels; }
  int slices_per_channel() const { return static_cast<int>(slice_count_.divisor()); }
  std::uint64_t line_bytes() const { return params_.line; }
  std::uint64_t lines_per_partition() const { return params_.partition / params_.line; }
  const AddressMapParams& params() const { return params_; }

 private:
  // By byte of a partition's number: the product. Of 32 bits, or of the 40 that small partitions need.
  using Products = std::array<std::array<std::uint32_t, 256>, 4>;
  using WideProducts = std::array<std::array<std::uint64_t, 256>, 5>;
  template <class Table>
  static std::unique_ptr<Table> multiplied(const Gf2Matrix& matrix);

  /// The number of the partition, permuted.
  std::uint64_t partition_of(Address address) const {
    const std::uint64_t plain = address >> partition_bit_;
    if (products_ != nullptr) {
      const Products& of = *products_;
      return plain >> 32 << 32 | (of[0][plain & 255] ^ of[1][plain >> 8 & 255] ^ of[2][plain >> 16 & 255] ^
                                  of[3][plain >> 24 & 255]);
    }
    return other_ ? permuted(plain) : plain;
  }
  std::uint64_t permuted(std::uint64_t partition) const;

  // What every question needs comes first.
  alignas(64) std::unique_ptr<Products> products_;  // null: plain bits, or what `other_` says
  std::unique_ptr<WideProducts> wide_;
  bool powers_;
  bool other_ = false;  // wide products or a map
  std::uint8_t channel_bits_, slice_bits_;
  std::uint8_t partition_bit_;
  std::uint8_t line_bit_;
  std::uint32_t within_mask_;
  Reciprocal channel_count_;
  Reciprocal slice_count_;
  AddressMapParams params_;
  std::unique_ptr<const PartitionMap> map_;
};

/// A row of the table of address maps.
struct AddressMapRow {
  std::string_view name;
  std::string_view sentence;  ///< how partitions are permuted
  /// Throws ConfigError.
  std::unique_ptr<AddressMap> (*make)(const AddressMapParams& params);

  static constexpr std::string_view kind = "address map";
  static PolicyTable<AddressMapRow>& table();
};

/// Throws ConfigError (file, row, reason) when a matrix cannot be read, has the wrong shape or is not
/// invertible.
std::unique_ptr<AddressMap> make_address_map(const AddressMapParams& params);

}  // namespace strata
