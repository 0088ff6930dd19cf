#include "traces/cuda/device/clusters.h"

#include <algorithm>

#include "traces/cuda/device/device.h"

namespace strata::cuda {
namespace {

// CUDA C++ Programming Guide, "Thread Block Clusters": 8 are portable; an H100 takes 16.
constexpr std::uint32_t portable = 8, most = 16;
constexpr int must_be_set = 10, width = 11, height = 12, depth = 13, non_portable = 14, policy = 15;

bool same(const Dim3& a, const Dim3& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/// What the function asks for: compiled in, or set later.
std::optional<Dim3> required(const Function& function, const traces::PtxKernel& kernel) {
  if (kernel.cluster) return kernel.cluster;
  const Dim3& set = function.cluster;
  if (set.x == 0 && set.y == 0 && set.z == 0) return {};
  return Dim3{std::max(set.x, 1u), std::max(set.y, 1u), std::max(set.z, 1u)};
}

std::uint32_t limit(const Function& function, const traces::PtxKernel& kernel) {
  const std::uint32_t all = function.non_portable_cluster ? most : portable;
  return kernel.max_cluster != 0 ? std::min(kernel.max_cluster, all) : all;
}

int resident(Device& device, const traces::PtxKernel& kernel, const Launch& launch) {
  return device.description().resident_blocks(static_cast<std::uint32_t>(launch.block.count()),
                                              kernel.registers,
                                              kernel.static_shared_bytes + launch.dynamic_shared) *
         device.description().sms;
}

}  // namespace

std::optional<Dim3> cluster_of(const Launch& launch, const traces::PtxKernel& kernel) {
  const Function& function = *launch.function;
  const std::optional<Dim3> wanted = required(function, kernel), given = launch.attributes.cluster_dims();
  if (wanted && given && !same(*wanted, *given)) throw CallError(invalid_cluster);
  const std::optional<Dim3> cluster = given ? given : wanted;
  if (!cluster) {
    if (function.cluster_must_be_set) throw CallError(invalid_cluster);
    return {};
  }
  const Dim3 &c = *cluster, &g = launch.grid;
  if (c.count() == 0 || c.count() > limit(function, kernel) || g.x % c.x != 0 || g.y % c.y != 0 ||
      g.z % c.z != 0)
    throw CallError(invalid_cluster);
  return cluster;
}

int largest_cluster(Device& device, Function& function, const Launch& launch) {
  const auto& kernel = device.kernel(function);
  if (const auto wanted = required(function, kernel)) return static_cast<int>(wanted->count());
  std::uint32_t size = 1;
  while (size * 2 <= limit(function, kernel)) size *= 2;
  const int fits = resident(device, kernel, launch);
  while (size > 1 && static_cast<int>(size) > fits) size /= 2;
  return fits == 0 ? 0 : static_cast<int>(size);
}

int active_clusters(Device& device, Function& function, const Launch& launch) {
  const auto& kernel = device.kernel(function);
  Launch one = launch;
  one.function = &function;
  // A grid need not be whole here, only a size that can be launched.
  const auto cluster = one.attributes.cluster_dims();
  const auto wanted = required(function, kernel);
  if (!cluster && !wanted) throw CallError(invalid_cluster);
  one.grid = cluster ? *cluster : *wanted;
  return resident(device, kernel, one) / static_cast<int>(cluster_of(one, kernel)->count());
}

int cluster_attribute(const Function& function, const traces::PtxKernel& kernel, int number) {
  const std::optional<Dim3> wanted = required(function, kernel);
  const Dim3 dims = wanted ? *wanted : Dim3{0, 0, 0};
  switch (number) {
    case must_be_set:
      return kernel.cluster || function.cluster_must_be_set ? 1 : 0;
    case width:
      return static_cast<int>(dims.x);
    case height:
      return static_cast<int>(dims.y);
    case depth:
      return static_cast<int>(dims.z);
    case non_portable:
      return function.non_portable_cluster ? 1 : 0;
    case policy:
      return function.cluster_policy;
    default:
      throw CallError(invalid_value);
  }
}

/// Dimensions that are compiled in cannot be changed (CUfunction_attribute).
void set_cluster_attribute(Function& function, const traces::PtxKernel& kernel, int number, int value) {
  if (value < 0) throw CallError(invalid_value);
  const bool dimension = number >= must_be_set && number <= depth;
  if (dimension && kernel.cluster) throw CallError(number == must_be_set ? invalid_value : not_permitted);
  switch (number) {
    case must_be_set:
      function.cluster_must_be_set = value != 0;
      break;
    case width:
      function.cluster.x = static_cast<std::uint32_t>(value);
      break;
    case height:
      function.cluster.y = static_cast<std::uint32_t>(value);
      break;
    case depth:
      function.cluster.z = static_cast<std::uint32_t>(value);
      break;
    case non_portable:
      function.non_portable_cluster = value != 0;
      break;
    case policy:
      if (value > 2) throw CallError(invalid_value);
      function.cluster_policy = value;
      break;
    default:
      throw CallError(invalid_value);
  }
}

}  // namespace strata::cuda
