#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/common/units.h"
#include "models/dram_channel/timing_set.h"
#include "models/memory_controller/memory_controller_params.h"

namespace strata {

/// One line request in the controller. The caller of admit() sets its place (bank, row, column) and `owner`;
/// the milestones show afterwards where its time went.
struct DramRequest {
  std::int64_t row = 0;
  int column = 0;  ///< CAS index of the first burst
  std::uint8_t bank = 0;
  bool write = false;
  bool atomic = false;           ///< a read that becomes a write once it has its data
  std::uint8_t bursts = 1;       ///< column commands in all
  std::uint8_t issued = 0;       ///< column commands issued
  std::uint8_t sectors = 0xff;   ///< 32 B pieces of the line that are read or written
  std::uint8_t application = 0;  ///< of the access
  std::uint32_t serial = 0;      ///< number in order of acceptance, modulo 2^32
  std::uint64_t id = 0;          ///< the owner's own
  void* owner = nullptr;         ///< the owner's own

  Cycle accepted = 0;  ///< also its age: at most one request a cycle is accepted
  Cycle first_command = never;
  Cycle activated = never;  ///< ACT issued on its behalf; never = none was
  Cycle first_cas = never;
  bool conflict = false;  ///< another row had to be closed first
  DramRequest* next = nullptr;
  DramRequest* previous = nullptr;
};

/// The bit of a bank, or of a slice, in a bitmap.
constexpr std::uint64_t bit(int number) {
  return std::uint64_t{1} << number;
}

/// Visit the banks of a bitmap.
template <class Visit>
inline void for_each_bank(std::uint64_t banks, Visit&& visit) {
  for (; banks != 0; banks &= banks - 1) visit(__builtin_ctzll(banks));
}

/// The waiting requests of a channel, by direction and bank (or by bank alone), each list in order of age;
/// plus, per bank, the request whose row has been opened for it. Bitmaps (bit = bank) mark banks with work,
/// so that a scheduler skips the others.
class RequestQueues {
 public:
  static constexpr int read = 0;
  static constexpr int write = 1;

  /// `shared`: reads and writes wait together, in the queue called `read`.
  explicit RequestQueues(int banks, bool shared = false)
      : banks_(static_cast<std::size_t>(banks)), shared_(shared) {}

  bool shared() const { return shared_; }
  /// The queue in which a write, or a read, waits.
  int queue_of(bool writes) const { return writes && !shared_ ? write : read; }

  void insert(DramRequest& request);
  void remove(DramRequest& request);  ///< waiting, not active
  /// The row of `request` is being opened: it leaves its queue and owns the bank until its last burst.
  void activate(DramRequest& request);
  void precharge(int bank);
  /// `row` is open from now on, and no request owns the bank.
  void open(int bank, std::int64_t row);
  void finish_active(int bank);
  /// A waiting write to the same place, or null.
  const DramRequest* find_write(const DramRequest& read_request) const;

  std::int64_t open_row(int bank) const { return at(bank).row; }
  DramRequest* oldest(int direction, int bank) const { return at(bank).head[index(direction)]; }
  Cycle oldest_age(int direction, int bank) const {  // its `accepted`; only of banks with waiting requests
    return oldest_age_[index(direction)][static_cast<std::size_t>(bank)];
  }
  DramRequest* oldest_hit(int direction, int bank) const { return at(bank).hit[index(direction)]; }
  DramRequest* active(int bank) const { return at(bank).active; }
  std::uint64_t waiting_banks(int direction) const { return waiting_[index(direction)]; }
  std::uint64_t hit_banks(int direction) const { return hits_[index(direction)]; }
  std::uint64_t active_banks() const { return active_; }
  std::uint64_t open_banks() const { return open_; }
  /// False only if no write waits or owns a bank.
  bool any_write() const { return size_[index(queue_of(true))] > 0 || active_ != 0; }
  int size(int direction) const { return size_[index(direction)]; }
  Cycle last_use(int bank) const { return at(bank).last_use; }
  /// Column commands since the row of a bank was opened.
  int columns(int bank) const { return at(bank).columns; }
  void touch(int bank, Cycle now) {
    Bank& used = banks_[static_cast<std::size_t>(bank)];
    used.last_use = now;
    ++used.columns;
  }

 private:
  struct Bank {
    std::array<DramRequest*, 2> head{};
    std::array<DramRequest*, 2> tail{};
    std::array<DramRequest*, 2> hit{};  // oldest waiting request for the open row
    DramRequest* active = nullptr;
    std::int64_t row = -1;
    Cycle last_use = 0;
    int columns = 0;
  };
  static std::size_t index(int direction) { return static_cast<std::size_t>(direction); }
  const Bank& at(int bank) const { return banks_[static_cast<std::size_t>(bank)]; }
  void set_hit(Bank& bank, int bank_index, std::size_t direction, DramRequest* from);

  std::vector<Bank> banks_;
  bool shared_;
  std::array<std::array<Cycle, max_banks>, 2> oldest_age_{};  // apart: schedulers compare many
  std::array<std::uint64_t, 2> waiting_{};
  std::array<std::uint64_t, 2> hits_{};
  std::uint64_t active_ = 0;
  std::uint64_t open_ = 0;
  std::array<int, 2> size_{};
};

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

  /// Stores a copy of `from`, without issued commands.
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

/// Requests that were accepted and that the scheduler has not seen yet, in order of time: new ones, and the
/// writes of atomics, which are accepted when the data has been read.
class RequestArrivals {
 public:
  void came(DramRequest& request) {
    came_.append(request);
    ++count_[request.write ? 1 : 0];
  }
  void turned(DramRequest& write) { turned_.append(write); }

  /// Removes and returns the oldest that was accepted before `now`, or null.
  DramRequest* take(Cycle now) {
    const Cycle came = accepted(came_.first);
    const Cycle turned = accepted(turned_.first);
    if (std::min(came, turned) >= now) return nullptr;
    if (came > turned) return turned_.take();
    DramRequest* const request = came_.take();
    --count_[request->write ? 1 : 0];
    return request;
  }
  bool empty() const { return first_came() == nullptr && first_turned() == nullptr; }
  /// The oldest of each kind, or null; others follow by `next`.
  const DramRequest* first_came() const { return came_.first; }
  const DramRequest* first_turned() const { return turned_.first; }
  /// New requests that are reads, or writes.
  int count(int direction) const { return count_[static_cast<std::size_t>(direction)]; }

 private:
  struct Line {
    DramRequest* first = nullptr;
    DramRequest* last = nullptr;
    void append(DramRequest& request) {
      (first == nullptr ? first : last->next) = &request;
      last = &request;
    }
    DramRequest* take() {
      DramRequest* const request = first;
      first = request->next;
      return request;
    }
  };
  static Cycle accepted(const DramRequest* request) { return request == nullptr ? never : request->accepted; }

  Line came_;
  Line turned_;
  std::array<int, 2> count_{};
};

}  // namespace strata
