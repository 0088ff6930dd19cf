#include "models/sm_cluster/resident_ctas.h"

#include <cassert>
#include <utility>

namespace strata {
namespace {

/// Which cluster a thread block is of, counted with x first.
std::uint64_t cluster_of(const KernelInfo& kernel, std::uint64_t cta) {
  const Dim3 &grid = kernel.grid, &cluster = kernel.cluster;
  if (cluster.count() == 1) return cta;
  const std::uint64_t x = cta % grid.x, y = cta / grid.x % grid.y, z = cta / grid.x / grid.y;
  return x / cluster.x + grid.x / cluster.x * (y / cluster.y + grid.y / cluster.y * (z / cluster.z));
}

std::uint32_t rank_of(const KernelInfo& kernel, std::uint64_t cta) {
  const Dim3 &grid = kernel.grid, &cluster = kernel.cluster;
  const std::uint64_t x = cta % grid.x, y = cta / grid.x % grid.y, z = cta / grid.x / grid.y;
  return static_cast<std::uint32_t>(x % cluster.x +
                                    cluster.x * (y % cluster.y + cluster.y * (z % cluster.z)));
}

}  // namespace

ResidentCtas::ResidentCtas(const SmClusterParams& params, std::shared_ptr<CtaDecoder> decoder)
    : occupancy_(params),
      free_ctas_(~std::uint64_t{0} >> (64 - params.ctas)),
      free_slots_(~std::uint64_t{0} >> (64 - params.warps)),
      ctas_(static_cast<std::size_t>(params.ctas)),
      decoder_(std::move(decoder)) {}

int ResidentCtas::find(const ResidentCta& mate, std::uint32_t rank) const {
  for (std::size_t place = 0; place < ctas_.size(); ++place) {
    const ResidentCta& cta = ctas_[place];
    const bool here = (free_ctas_ >> place & 1) == 0;
    if (here && cta.kernel == mate.kernel && cta.cluster == mate.cluster && cta.rank == rank)
      return static_cast<int>(place);
  }
  return -1;
}

int ResidentCtas::start(const KernelInfo& kernel, const CtaTrace& trace) {
  assert(free_ctas_ != 0 && occupancy_.room(kernel) > 0);
  const int place = __builtin_ctzll(free_ctas_);
  free_ctas_ &= free_ctas_ - 1;
  occupancy_.take(Occupancy::cost(kernel));
  ResidentCta& cta = ctas_[static_cast<std::size_t>(place)];
  cta.rank = rank_of(kernel, trace.index);
  decoder_->decode(trace, cta.code, {kernel.cluster.count() > 1 ? &kernel : nullptr, cta.rank});
  cta.kernel = &kernel;
  cta.slots = cta.arrived = 0;
  cta.live = static_cast<int>(trace.warps());
  cta.index = static_cast<std::uint32_t>(trace.index);
  cta.kernel_id = kernel.id;
  cta.cluster = cluster_of(kernel, trace.index);
  cta.application = static_cast<std::uint8_t>(kernel.application);
  for (std::size_t w = 0; w < trace.warps(); ++w) {
    cta.slots |= free_slots_ & (~free_slots_ + 1);
    free_slots_ &= free_slots_ - 1;
  }
  return place;
}

void ResidentCtas::end(int place) {
  ResidentCta& cta = ctas_[static_cast<std::size_t>(place)];
  free_slots_ |= cta.slots;
  free_ctas_ |= std::uint64_t{1} << place;
  occupancy_.give_back(Occupancy::cost(*cta.kernel));
  finished_.push(cta.kernel->id);
  cta.code.clear();
  cta.barriers.clear();
}

bool ResidentCtas::take_finished(std::uint32_t& kernel) {
  if (finished_.empty()) return false;
  kernel = finished_.front();
  finished_.pop();
  return true;
}

}  // namespace strata
