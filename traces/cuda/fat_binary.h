#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace strata::cuda {

/// One piece of code of a fat binary.
struct FatEntry {
  bool ptx = false;            ///< else machine code, which is of no use here
  int architecture = 0;        ///< 80: compute_80
  std::size_t text_bytes = 0;  ///< of PTX, before it was compressed
  enum class Packing : std::uint8_t { plain, lz4, zstd } packing = Packing::plain;
  const std::uint8_t* data = nullptr;
  std::size_t bytes = 0;
};

/// The pieces of a fat binary, as nvcc puts it into a program or writes it with -fatbin. Throws TraceError
/// that says what is wrong with it. `available` bounds what may be read; the default trusts the sizes that
/// stand in it.
std::vector<FatEntry> read_fat_binary(const void* data, std::size_t available = SIZE_MAX);

/// Whether these bytes begin like one.
bool is_fat_binary(const void* data, std::size_t available = SIZE_MAX);

/// The PTX text of an entry. Throws TraceError.
std::string ptx_text(const FatEntry& entry);

/// The PTX that a device of this compute capability (80) would take: the newest that it understands, else the
/// oldest. Empty when there is none.
std::string choose_ptx(const std::vector<FatEntry>& entries, int capability);

}  // namespace strata::cuda
