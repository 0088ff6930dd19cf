#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "models/common/atomic_lanes.h"
#include "models/common/ledger.h"
#include "models/common/units.h"

namespace strata {

enum class AccessClass : std::uint8_t {
  load,
  read_only_load,  // data that no store of the kernel can reach
  store,
  atomic,
  instruction,
  texture,
  constant,
  writeback,  // dirty line on its way to memory
  count_
};

std::string_view to_text(AccessClass access_class);

constexpr bool is_write(AccessClass c) {
  return c == AccessClass::store || c == AccessClass::writeback;
}
constexpr bool carries_request_data(AccessClass c) {  // one test, whatever it is
  constexpr unsigned those = 1U << static_cast<unsigned>(AccessClass::store) |
                             1U << static_cast<unsigned>(AccessClass::atomic) |
                             1U << static_cast<unsigned>(AccessClass::writeback);
  return (those >> static_cast<unsigned>(c) & 1U) != 0;
}
constexpr bool carries_reply_data(AccessClass c) {
  return !is_write(c);
}

constexpr int no_slice = -1;

/// Applications that can run side by side.
constexpr int max_applications = 8;
/// Where an application is asked for: all of them together.
constexpr int all_applications = -1;
/// Bit a: application a.
using ApplicationSet = std::uint32_t;
constexpr ApplicationSet every_application = ~ApplicationSet{0};
constexpr ApplicationSet only_application(int application) {
  return ApplicationSet{1} << application;
}
/// Place in tables by application, whatever a trace may say.
constexpr std::size_t application_place(unsigned application) {
  return application % max_applications;
}
constexpr bool belongs(unsigned application, ApplicationSet whose) {
  return (whose & only_application(static_cast<int>(application_place(application)))) != 0;
}
/// L1s, routers and LLC slices on the way of an access.
constexpr int max_hops = 64;
/// Hops whose way back is kept in the cache line that every hop touches.
constexpr int near_hops = 7;

/// Some parts of 8 B of a line of at most 128 B: bit i is part i.
using PartMask = std::uint16_t;

/// One line access as every core sees it: free of SystemC. The MemAttr extension adds it to a TLM payload.
struct alignas(64) Access {
  Access() : failed(0), shown(0) {}

  // First cache line: what every hop touches. All of it but `line`, `access_class` and `sectors` is the
  // holder's own.
  Access* next = nullptr;  ///< link of whichever queue or MSHR chain holds the access
  Cycle ready = 0;         ///< holder's own: first cycle in which it may be handled
  Address line = 0;        ///< address of the first byte of the line
  AccessClass access_class = AccessClass::load;
  std::uint8_t sectors =
      0xf;                 ///< bit i: 32 B sector i of the line is asked for or written (lines up to 256 B)
  std::uint8_t flits = 1;  ///< packet length on the link just crossed, set by its sender
  std::uint8_t depth = 0;  ///< used entries of `route` and `far_route`
  std::int16_t slice = no_slice;  ///< LLC slice chosen by the organization
  std::uint16_t tag = 0;          ///< holder's own
  std::uint16_t route[near_hops] =
      {};  ///< way back: one entry a hop, pushed with the request, popped with the reply
  std::uint8_t spare_words = 0;  ///< 4 B words of the sectors that a reply may leave out
  std::uint8_t failed : 1;       ///< the response status is an error
  std::uint8_t shown : 1;        ///< the payload has been at a module that is not Strata's and may hold it
  Access* cause = nullptr;       ///< creator's own: the access on whose behalf this one was made
  Ledger ledger;                 ///< its mark ends the first line, its usual places fill the next two

  // Who asked: set by the originator, constant on the way.
  Cycle birth = 0;               ///< ledger-clock cycle in which the originator created the access
  std::uint16_t sm = 0;          ///< SM of the platform
  std::uint16_t cluster = 0;     ///< SM cluster
  std::uint16_t warp = 0;        ///< warp slot in the SM
  std::uint8_t application = 0;  ///< for multi-program runs
  std::uint8_t load_slot = 0;    ///< originator's own: entry in its table of outstanding loads
  std::uint32_t cta = 0;
  std::uint32_t kernel = 0;
  std::uint32_t pc = 0;
  bool non_coherent = false;  ///< ld.global.nc: the L1 path may keep it across stores
  bool bypass_l1 = false;     ///< .STRONG.GPU and the like: served at the LLC
  bool local = false;         ///< of local memory
  bool prefetch = false;      ///< made by a prefetcher on the way: no SM waits for it
  PartMask parts = 0;         ///< of `sectors`, what is asked for or written; 0: all of them
  bool reduces = false;       ///< an atomic without a result (RED); false for other accesses
  AtomicLanes lanes;          ///< of an atomic; of no other access
  std::uint16_t far_route[max_hops - near_hops] = {};  ///< `route` goes on here

  int sector_count() const {  // by table: the builtin is a library call on plain x86-64
    constexpr std::uint8_t bits[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    return bits[sectors & 15U] + bits[sectors >> 4U];
  }
  bool asks_for_all() const { return spare_words == 0 && parts == 0; }  ///< of `sectors`
  /// A reply may leave out what else there is in `sectors`.
  void ask_parts(PartMask asked);
  void push_route(int port) {
    if (depth >= near_hops) [[unlikely]]
      return push_far(port);
    route[depth++] = static_cast<std::uint16_t>(port);
  }
  int pop_route() {
    assert(depth > 0);
    if (depth > near_hops) [[unlikely]]
      return far_route[--depth - near_hops];
    return route[--depth];
  }

 private:
  void push_far(int port);  ///< throws std::length_error behind the last hop
};

static_assert(offsetof(Access, route) == 32 && offsetof(Access, ledger) == 56, "what every hop touches");
static_assert(offsetof(Access, birth) / 64 == offsetof(Access, lanes) / 64, "who asked: one cache line");
static_assert(offsetof(Access, birth) / 64 == (offsetof(Access, lanes) + sizeof(AtomicLanes) - 1) / 64);

/// FIFO linked through the accesses themselves: no allocation, three words.
class AccessFifo {
 public:
  bool empty() const { return head_ == nullptr; }
  int size() const { return size_; }
  Access& front() const { return *head_; }
  /// The cycle from which the front may leave; never when nothing waits.
  Cycle due() const { return empty() ? never : front().ready; }
  void push(Access& access) {
    access.next = nullptr;
    if (head_ == nullptr)
      head_ = &access;
    else
      tail_->next = &access;
    tail_ = &access;
    ++size_;
  }
  /// Put back what was just popped.
  void push_front(Access& access) {
    access.next = head_;
    if (head_ == nullptr) tail_ = &access;
    head_ = &access;
    ++size_;
  }
  Access& pop() {
    Access& access = *head_;
    head_ = access.next;
    access.next = nullptr;
    --size_;
    return access;
  }

 private:
  Access* head_ = nullptr;
  Access* tail_ = nullptr;
  int size_ = 0;
};

}  // namespace strata
