#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/workloads/definition.h"

namespace strata::traces {

/// Elements of one buffer in host memory.
template <class T>
class HostSpan {
 public:
  HostSpan(T* data, std::size_t size) : data_(data), size_(size) {}
  T& operator[](std::size_t i) const { return data_[i]; }
  std::size_t size() const { return size_; }
  T* data() const { return data_; }
  T* begin() const { return data_; }
  T* end() const { return data_ + size_; }

 private:
  T* data_;
  std::size_t size_;
};

/// Buffers and values of a workload in host memory, by name, for a reference.
class HostData {
 public:
  /// Fills the buffers as the workload says; those with fill `reference` are zero.
  explicit HostData(const WorkloadDefinition& workload);

  /// Throws ConfigError, at the buffer's position in the file, if there is no such buffer, its type has
  /// another size or kind, or it has fewer than `least` elements.
  HostSpan<float> f32(const std::string& name, std::uint64_t least = 1) {
    return span<float>(name, ElementType::f32, ElementType::f32, least);
  }
  HostSpan<double> f64(const std::string& name, std::uint64_t least = 1) {
    return span<double>(name, ElementType::f64, ElementType::f64, least);
  }
  HostSpan<std::int32_t> i32(const std::string& name, std::uint64_t least = 1) {
    return span<std::int32_t>(name, ElementType::i32, ElementType::u32, least);
  }
  HostSpan<std::uint32_t> u32(const std::string& name, std::uint64_t least = 1) {
    return span<std::uint32_t>(name, ElementType::u32, ElementType::i32, least);
  }
  HostSpan<std::int64_t> i64(const std::string& name, std::uint64_t least = 1) {
    return span<std::int64_t>(name, ElementType::i64, ElementType::u64, least);
  }
  HostSpan<std::uint8_t> u8(const std::string& name, std::uint64_t least = 1) {
    return span<std::uint8_t>(name, ElementType::u8, ElementType::i8, least);
  }
  /// A scale or derived value; throws ConfigError if there is no such name.
  std::int64_t value(const std::string& name) const;
  std::uint64_t seed() const { return workload_.seed; }
  std::uint64_t seed_of(const std::string& buffer) const;

  const std::vector<std::uint8_t>& bytes(std::size_t buffer) const { return data_[buffer]; }
  std::vector<std::uint8_t>& bytes(std::size_t buffer) { return data_[buffer]; }

 private:
  std::size_t find(const std::string& name, ElementType type, ElementType also, std::uint64_t least) const;
  template <class T>
  HostSpan<T> span(const std::string& name, ElementType type, ElementType also, std::uint64_t least) {
    const std::size_t at = find(name, type, also, least);
    return {reinterpret_cast<T*>(data_[at].data()), data_[at].size() / sizeof(T)};
  }

  const WorkloadDefinition& workload_;
  std::vector<std::vector<std::uint8_t>> data_;
};

/// splitmix64: small, seedable, the same on every machine (Steele, Lea, Flood, OOPSLA 2014).
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  /// 0 .. bound - 1; the bias is below 2^-32 for bounds below 2^32.
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }
  double real() { return static_cast<double>(next() >> 11) * 0x1p-53; }  ///< [0, 1)

 private:
  std::uint64_t state_;
};

/// A CPU reference: the expected results of a workload's kernels, written from the algorithm, independently
/// of the kernels; in references/.
struct Reference {
  const char* name;
  /// Computes the final contents of the buffers from the initial ones, in place.
  void (*compute)(HostData& data);
  /// Fills the buffers whose fill is `reference`; may be null.
  void (*prepare)(HostData& data) = nullptr;
};

/// The reference of this name; null if there is none.
const Reference* find_reference(const std::string& name);
std::vector<std::string> reference_names();

}  // namespace strata::traces
