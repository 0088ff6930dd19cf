#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace strata::cuda {

/// One entry of a fat binary.
struct FatEntry {
  bool ptx = false;            ///< else machine code, which cannot be used
  int architecture = 0;        ///< 80: compute_80
  std::size_t text_bytes = 0;  ///< of PTX, uncompressed
  enum class Packing : std::uint8_t { plain, lz4, zstd } packing = Packing::plain;
  const std::uint8_t* data = nullptr;
  std::size_t bytes = 0;
};

/// The entries of a fat binary, as nvcc embeds it in a program or writes it with -fatbin. Throws TraceError
/// with the fault. `available` limits the bytes read; the default trusts the sizes in the binary.
std::vector<FatEntry> read_fat_binary(const void* data, std::size_t available = SIZE_MAX);

/// True if the bytes begin like a fat binary.
bool is_fat_binary(const void* data, std::size_t available = SIZE_MAX);

/// The PTX text of an entry. Throws TraceError.
std::string ptx_text(const FatEntry& entry);

/// The PTX for a device of this compute capability (80): the newest that it supports, else the oldest. Empty
/// if there is none.
std::string choose_ptx(const std::vector<FatEntry>& entries, int capability);

}  // namespace strata::cuda
