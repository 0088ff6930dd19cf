#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/common/params.h"
#include "models/common/units.h"

namespace strata {

/// Where a line lives below the SMs.
struct Location {
  int channel;  ///< memory controller
  int slice;    ///< LLC slice within the controller's group
};

/// How line addresses spread over memory controllers, LLC slices and DRAM banks.
/// `bits` slices the address plainly (Hynix-like). `pae` first multiplies the address bits from the partition
/// bit up to bit 39 with an invertible matrix over GF(2); see docs/address-maps.md.
struct AddressMapParams final : ParamSet {
  enum class Kind : int { bits, pae };
  Kind kind = Kind::bits;
  Bytes line{128};
  Bytes partition{256};  ///< contiguous bytes that stay on one channel
  int channels = 8;
  int slices_per_channel = 8;
  std::string matrix;  ///< pae: file of GF(2) rows, empty = the built-in matrix
  void for_each_param(ParamVisitor& visitor) override;
  Faults validate() const override;
};

/// Immutable after construction; shared by all blocks of a platform. Any number of channels and slices: a
/// power of two takes bits, anything else a modulo, and the remaining bits stay dense (`local_line`).
class AddressMap {
 public:
  virtual ~AddressMap() = default;
  virtual Location locate(Address address) const = 0;
  /// Index of the line within its channel, dense from 0: what the DRAM decodes into bank, row and column.
  /// `local_line / lines_per_partition() % slices_per_channel()` is the slice: (channel, local_line) names a
  /// line.
  virtual std::uint64_t local_line(Address address) const = 0;
  int channels() const { return params_.channels; }
  int slices_per_channel() const { return params_.slices_per_channel; }
  std::uint64_t line_bytes() const { return params_.line; }
  std::uint64_t lines_per_partition() const { return params_.partition / params_.line; }
  const AddressMapParams& params() const { return params_; }

 protected:
  explicit AddressMap(AddressMapParams params) : params_(std::move(params)) {}
  AddressMapParams params_;
};

/// Throws ConfigError (file, row, reason) when a matrix cannot be read, has the wrong shape or is not
/// invertible.
std::unique_ptr<AddressMap> make_address_map(const AddressMapParams& params);

}  // namespace strata
