#pragma once

#include <array>
#include <memory>

#include "models/memory_controller/memory_controller_params.h"
#include "models/memory_controller/request_queues.h"

namespace strata {

/// The entries of a controller's queues, and the requests that hold them: nothing allocates while it runs. A
/// request whose row has been opened for it lives on without an entry, at most one a bank. A request takes an
/// entry of the read or the write queue; where there is one for both, one for each of its column commands.
class RequestPool {
 public:
  RequestPool(const MemoryControllerParams& params, int banks)
      : shared_(params.shared_queue != 0),
        capacity_{shared_ ? params.shared_queue : params.read_queue, params.write_queue},
        room_(capacity_) {
    const int requests = shared_ ? params.shared_queue : params.read_queue + params.write_queue;
    const auto most = static_cast<std::size_t>(requests + banks);
    requests_ = std::make_unique<DramRequest[]>(most);
    for (std::size_t i = 0; i < most; ++i) release(requests_[i]);
  }
  // Entries by direction: write, or read.
  int capacity(bool write) const { return capacity_[queue(write)]; }
  int used(bool write) const { return capacity(write) - room_[queue(write)]; }
  bool has_room(bool write, int bursts) const { return room_[queue(write)] >= entries(bursts); }
  bool has_room_for_atomic(int bursts) const {
    return shared_ ? has_room(false, 2 * bursts) : has_room(false, bursts) && has_room(true, bursts);
  }
  void take(bool write, int bursts) { room_[queue(write)] -= entries(bursts); }
  void give_back(bool write, int bursts) { room_[queue(write)] += entries(bursts); }

  /// A copy of `from`, none of whose commands has issued.
  DramRequest& fresh(const DramRequest& from) {
    DramRequest& request = *free_;
    free_ = request.next;
    request = from;
    request.issued = 0;
    request.first_command = request.activated = request.first_cas = never;
    request.conflict = false;
    request.next = nullptr;
    return request;
  }
  void release(DramRequest& request) {
    request.next = free_;
    free_ = &request;
  }

 private:
  std::size_t queue(bool write) const { return write && !shared_ ? 1 : 0; }
  int entries(int bursts) const { return shared_ ? bursts : 1; }

  bool shared_;
  std::array<int, 2> capacity_;
  std::array<int, 2> room_;
  std::unique_ptr<DramRequest[]> requests_;
  DramRequest* free_ = nullptr;
};

}  // namespace strata
