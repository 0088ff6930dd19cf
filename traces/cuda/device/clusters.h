#pragma once

#include <optional>

#include "models/common/instruction_source.h"
#include "traces/ptx/ptx_program.h"

/// Clusters of thread blocks, as launches and functions say them.
namespace strata::cuda {

class Device;
struct Function;
struct Launch;

/// The clusters of a launch; none: its thread blocks are each by itself. Throws CallError for those that CUDA
/// refuses.
std::optional<Dim3> cluster_of(const Launch& launch, const traces::PtxKernel& kernel);
/// What cudaOccupancyMaxPotentialClusterSize and cudaOccupancyMaxActiveClusters say.
int largest_cluster(Device& device, Function& function, const Launch& launch);
int active_clusters(Device& device, Function& function, const Launch& launch);

/// Attributes of functions from 10 to 15 (cudaFuncAttribute, CUfunction_attribute). Throws CallError.
int cluster_attribute(const Function& function, const traces::PtxKernel& kernel, int number);
void set_cluster_attribute(Function& function, const traces::PtxKernel& kernel, int number, int value);

}  // namespace strata::cuda
