#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "models/common/instruction_source.h"
#include "models/common/units.h"

namespace strata::traces {

/// A texture or surface object: texels row by row in device memory, and how they are read.
struct PtxTexture {
  enum class Kind : std::uint8_t { unsigned_numbers, signed_numbers, reals };
  enum class Edge : std::uint8_t { wrap, clamp, mirror, border };  ///< as cudaTextureAddressMode
  Address data = 0;
  std::array<std::uint32_t, 3> size = {
      1, 1, 1};  ///< texels; the last size of a layered texture is the number of layers
  std::uint64_t row_bytes = 0, slice_bytes = 0;  ///< distance between rows, and between slices or layers
  std::uint32_t channels = 1;                    ///< 1, 2 or 4
  std::uint32_t bits = 32;                       ///< bits of a channel: 8, 16 or 32
  Kind kind = Kind::reals;
  bool linear = false;       ///< cudaFilterModeLinear
  bool normalized = false;   ///< coordinates from 0 to 1
  bool reads_reals = false;  ///< integers are read as -1 or 0 to 1 (cudaReadModeNormalizedFloat)
  std::array<Edge, 3> edges = {Edge::clamp, Edge::clamp, Edge::clamp};
  std::array<float, 4> border = {0, 0, 0, 0};
  /// A smaller level of a mip map.
  struct Level {
    Address data = 0;
    std::array<std::uint32_t, 3> size = {1, 1, 1};
    std::uint64_t row_bytes = 0, slice_bytes = 0;
  };
  std::vector<Level> smaller;             ///< levels from 1 on; level 0 is described above
  bool mip_linear = false;                ///< interpolation between two levels
  float mip_bias = 0;                     ///< added to the level
  float least_level = 0, most_level = 0;  ///< limits of the level after that
  std::uint32_t texel_bytes() const { return channels * bits / 8; }
};

/// An allocation of a GlobalMemory.
struct DeviceAllocation {
  std::string name;  ///< for messages
  Address address = 0;
  std::uint64_t bytes = 0;
  bool constant = false;           ///< a kernel must not write it (`.const`)
  std::uint8_t* data = nullptr;    ///< byte `address + i` is data[i]
  std::uint64_t* set = nullptr;    ///< bit i: byte i has been written
  std::uint64_t unset_bytes = 0;   ///< bytes never written; 0: `set` need not be checked
  std::uint64_t mapped_bytes = 0;  ///< whole pages of `data` and `set`
  bool of_host = false;            ///< shared with the host at the same address: `data` is `address`
  bool registered = false;         ///< the caller owns `data`
  bool placed = false;             ///< the caller owns `data` and `set`; free() does not find the allocation
  Address end() const { return address + bytes; }
};

/// Marks [first, first + count) as set in a bitmap of one bit a byte; returns how many bits were clear
/// before.
std::uint64_t mark_set(std::uint64_t* bitmap, std::uint64_t first, std::uint64_t count);

/// Clears the bits; returns how many were set before.
std::uint64_t mark_unset(std::uint64_t* bitmap, std::uint64_t first, std::uint64_t count);

class PtxProgram;

/// The device memory of interpreted kernels: allocations at device addresses that depend only on the order
/// and sizes of the calls. The host's pages behind an allocation exist once they are touched. Every byte is
/// marked when written, so that reads of unwritten bytes are found. Move-only.
class GlobalMemory {
 public:
  using Allocation = DeviceAllocation;

  static constexpr Address first_address = 0x7f0000000000;  ///< like the synthetic sources
  static constexpr std::uint64_t alignment = 512;  ///< of every allocation; cudaMalloc gives 256 or more

  GlobalMemory() = default;
  ~GlobalMemory();
  GlobalMemory(GlobalMemory&& other) noexcept;
  GlobalMemory& operator=(GlobalMemory&& other) noexcept;
  GlobalMemory(const GlobalMemory&) = delete;
  GlobalMemory& operator=(const GlobalMemory&) = delete;

  /// Like cudaMalloc. At least 512 unmapped bytes separate two allocations. Throws ConfigError if `bytes` is
  /// 0 or more than 1 TiB.
  Address allocate(std::uint64_t bytes, const std::string& name = "");
  /// Like cudaMallocManaged and cudaMallocHost: whole pages, zeroed, that the host uses at the same address.
  Address allocate_of_host(std::uint64_t bytes, const std::string& name = "");
  /// Like cudaHostRegister: memory of the host. Throws ConfigError if a part of it is already registered.
  void register_host(void* data, std::uint64_t bytes, const std::string& name);
  /// Frees the allocation that begins at `address`; later ones may reuse its addresses. False if there is
  /// none.
  bool free(Address address);
  /// Reserves addresses without memory, like cuMemAddressReserve. `align` is a power of two.
  Address reserve_range(std::uint64_t bytes, std::uint64_t align);
  void release_range(Address at, std::uint64_t bytes,
                     std::uint64_t align);  ///< with the arguments and result of reserve_range()
  /// Places memory of the caller in a reserved range. allocated_bytes() does not count it.
  void place(Allocation allocation);
  void displace(Address address);
  /// Marks the allocation that begins at `address` as never written.
  void forget(Address address);
  /// From now on device addresses are not mapped on the host, and differ from all addresses that the host has
  /// mapped.
  void reserve_addresses() { reserves_ = true; }
  /// Host-to-device copy. Throws ConfigError if the range is not inside one allocation.
  void write(Address to, const void* from, std::uint64_t bytes);
  /// Like cudaMemset.
  void fill(Address to, std::uint8_t byte, std::uint64_t bytes);
  /// Device-to-host copy; unwritten bytes read as 0.
  void read(Address from, void* to, std::uint64_t bytes) const;

  template <class T>
  void store(Address to, const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable<T>::value, "device memory holds plain data");
    if (!values.empty()) write(to, values.data(), values.size() * sizeof(T));
  }
  template <class T>
  std::vector<T> load(Address from, std::size_t count) const {
    static_assert(std::is_trivially_copyable<T>::value, "device memory holds plain data");
    std::vector<T> values(count);
    if (count != 0) read(from, values.data(), count * sizeof(T));
    return values;
  }
  /// allocate + store.
  template <class T>
  Address upload(const std::vector<T>& values, const std::string& name = "") {
    const Address to = allocate(values.size() * sizeof(T), name);
    store(to, values);
    return to;
  }

  /// Makes the module's `.global` and `.const` variables (`__device__`, `__constant__`) with their initial
  /// values. PtxSource and `execute` call it for programs that are new to this memory.
  void add_variables(const PtxProgram& program);
  /// Address of a module's variable, as cudaGetSymbolAddress. Throws ConfigError (with the nearest name).
  Address symbol(const std::string& name) const;
  bool has_variables_of(const PtxProgram& program) const;

  /// Size of the heap that `malloc` in kernels uses (cudaLimitMallocHeapSize). Has no effect after the first
  /// kernel that calls malloc.
  void set_heap_bytes(std::uint64_t bytes) { heap_bytes_ = bytes; }
  std::uint64_t heap_bytes() const { return heap_bytes_; }
  void make_heap();
  /// Aligned to 16 bytes; 0 if the heap is full.
  Address heap_allocate(std::uint64_t bytes);
  /// False if no block begins there.
  bool heap_free(Address address);
  using HeapBlocks = std::map<Address, std::uint64_t>;  ///< address, bytes
  const HeapBlocks& heap_blocks() const { return heap_blocks_; }
  void restore_heap(HeapBlocks blocks) { heap_blocks_ = std::move(blocks); }

  /// Adds a texture or surface object; returns its handle, never 0.
  std::uint64_t add_texture(const PtxTexture& texture);
  bool remove_texture(std::uint64_t handle) { return textures_.erase(handle) != 0; }
  const PtxTexture* texture(std::uint64_t handle) const;

  /// Where the thread blocks of a cooperative launch synchronize; filled with 0 if `clear`.
  Address grid_workspace(bool clear);

  /// True if `address` is in a page of 2 MiB that holds part of an allocation, as a GPU maps memory, or in
  /// the page before the first allocation.
  bool in_page(Address address) const;
  /// The allocation that holds `address`, or null.
  const Allocation* find(Address address) const;
  Allocation* find(Address address);
  const std::vector<Allocation>& allocations() const { return allocations_; }
  /// Every `write` so far, in order: the host-to-device copies of the source.
  const std::vector<MemcpyInfo>& copies() const { return copies_; }
  std::uint64_t allocated_bytes() const { return allocated_bytes_; }

 private:
  Allocation& range(Address address, std::uint64_t bytes, const char* what);
  Address find_hole(std::uint64_t bytes, std::uint64_t align);
  Address reserve(Address from, std::uint64_t bytes);
  void give_back(Address address, std::uint64_t bytes);
  Allocation& insert(Allocation a);
  static void unmap(const Allocation& a);
  void release();

  std::vector<Allocation> allocations_;  ///< ascending address
  std::vector<MemcpyInfo> copies_;
  std::map<std::string, Address> symbols_;
  std::vector<std::uint64_t> modules_;  ///< identities of programs whose variables exist
  Address next_ = first_address;
  std::uint64_t heap_bytes_ = std::uint64_t{8} << 20;  ///< CUDA's default
  Address heap_ = 0;                                   ///< 0: none yet
  HeapBlocks heap_blocks_;
  Address grid_workspace_ = 0;
  std::map<std::uint64_t, PtxTexture> textures_;
  std::uint64_t made_textures_ = 0;
  std::map<Address, std::uint64_t> holes_;  ///< freed bytes below `next_`
  bool reserves_ = false;
  Address reserved_ = first_address;  ///< end of the addresses reserved on the host
  std::uint64_t allocated_bytes_ = 0;
};

}  // namespace strata::traces
