#pragma once

#include <cstdint>
#include <functional>

#include "models/common/access.h"
#include "models/common/units.h"
#include "models/sm_cluster/cta_barriers.h"

namespace strata {

struct ResidentCta;
struct KernelInfo;

/// What happens at a barrier of another CTA when a packet comes to its shared memory.
struct DsmemReport {
  ResidentCta* cta = nullptr;  ///< null: nothing happens
  const KernelInfo* kernel = nullptr;
  std::uint64_t cluster = 0;
  std::uint32_t rank = 0;
  std::function<CtaBarriers::Warps(CtaBarriers&)> does;  ///< the warps that go on
};

/// A request to the shared memory of another SM of the cluster.
struct DsmemPacket {
  int target = 0;                                ///< SM of the cluster
  AccessClass access_class = AccessClass::load;  ///< a load, a store or an atomic
  std::uint8_t sectors = 0;                      ///< of 32 B that it brings or asks for; 0: a report alone
  std::uint8_t spare_words = 0;                  ///< of these sectors' words, those that no lane asks for
  std::uint8_t cycles = 1;                       ///< of shared memory there
  std::uint8_t warp = 0;                         ///< whose it is
  std::uint8_t slot = 0;                         ///< entry in the warp's table of loads, or no_load_slot
  bool is_access = false;                        ///< of an instruction of the warp
  std::uint8_t application = 0;
  std::uint32_t cta = 0, kernel = 0, pc = 0;
  Cycle entered = 0;  ///< in the queue of its SM
  DsmemReport report;
};

/// The queues in which SMs of a cluster put what goes to each other's shared memory.
class DsmemQueuesIf {
 public:
  virtual ~DsmemQueuesIf() = default;
  /// An instruction of SM `sm` may put its packets there; when not, SmCore::room_in_network() follows.
  virtual bool has_room(int sm) const = 0;
  virtual void push(int sm, const DsmemPacket& packet, Cycle now) = 0;
};

}  // namespace strata
