#pragma once

#include <array>
#include <memory>

#include "models/memory_controller/request_queues.h"

namespace strata {

/// The entries of a controller's read and write queue, and the requests that hold them: nothing allocates
/// while it runs. A request whose row has been opened for it lives on without an entry, at most one a bank.
class RequestPool {
 public:
  RequestPool(int reads, int writes, int banks) : capacity_{reads, writes}, room_(capacity_) {
    const auto requests = static_cast<std::size_t>(reads + writes + banks);
    requests_ = std::make_unique<DramRequest[]>(requests);
    for (std::size_t i = 0; i < requests; ++i) release(requests_[i]);
  }
  // Entries by direction: write, or read.
  int capacity(bool write) const { return capacity_[write ? 1 : 0]; }
  int room(bool write) const { return room_[write ? 1 : 0]; }
  int used(bool write) const { return capacity(write) - room(write); }
  void take(bool write) { --room_[write ? 1 : 0]; }
  void give_back(bool write, int entries = 1) { room_[write ? 1 : 0] += entries; }

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
  std::array<int, 2> capacity_;
  std::array<int, 2> room_;
  std::unique_ptr<DramRequest[]> requests_;
  DramRequest* free_ = nullptr;
};

}  // namespace strata
