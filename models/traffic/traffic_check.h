#pragma once

#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/common/random_stream.h"
#include "models/tlm/ports.h"
#include "models/traffic/traffic_mix.h"
#include "models/traffic/traffic_params.h"

namespace strata {

/// The expected bytes of memory, for all generators of a name together.
///
/// Only one port writes a byte, so its loads must return what it wrote last. Each line has words of many
/// ports. Other ports may read old bytes, because caches are not coherent, but two bits of every written byte
/// follow from its address. Counters lie after the footprint; all ports add to them with atomics, and their
/// sum is known at the end.
class TrafficCheck {
 public:
  static constexpr int counter_lines = 4;

  /// `port`: the first of `count` of `all`.
  TrafficCheck(const TrafficParams& params, std::uint64_t seed, int first_port, int count, int all,
               std::shared_ptr<void>* shared);

  /// The access that `port` makes instead of the drawn one.
  TrafficAccess draw(int port, TrafficAccess drawn);
  /// The sectors of that access; call it next.
  std::uint8_t sectors() const { return sectors_; }
  /// True for lines of local memory: the same for all ports, and false for counters.
  bool is_local(Address line) const {
    return line < footprint_ && (line / line_ * 0x9e3779b97f4a7c15ULL) >> 11 < local_at_;
  }
  /// Its bytes, or those that it must bring.
  void begin(Txn& txn, int port);
  /// The access was answered. Returns its fault for a message, empty without one.
  std::string end(Txn& txn, int port);
  /// Checks all bytes that the port has written, through its socket, and the counters, once all accesses were
  /// answered.
  std::string check_memory(InitiatorPort& socket, int port);

  std::uint64_t checked() const { return checked_; }
  std::uint64_t wrong() const { return wrong_; }
  void reset() { checked_ = wrong_ = 0; }

 private:
  struct Memory {
    std::vector<unsigned char> bytes;  // what the owner has written last
    std::vector<std::uint32_t> sums;   // of the counters
  };
  using Line = std::array<unsigned char, 256>;

  bool is_open(int port, Address line) const;
  bool owns(int port, Address address) const {
    return (address / 4 + address / line_) % static_cast<unsigned>(all_) ==
           static_cast<unsigned>(first_ + port);
  }
  static unsigned char mark(Address address) {
    return static_cast<unsigned char>((address * 0x9e3779b97f4a7c15ULL) >> 62);
  }
  void begin_store(Txn& txn, int port);
  void begin_atomic(Txn& txn, int port);
  void compare(Address address, unsigned char found, unsigned char wanted, bool exact, std::string& fault);
  RandomStream& stream(int port) { return streams_[static_cast<std::size_t>(port)]; }

  const Address line_;
  const Address footprint_;
  const std::uint64_t atomics_at_, local_at_;
  const bool overlap_;
  const int first_, all_;
  std::uint8_t sectors_ = 0;
  std::vector<RandomStream> streams_;
  std::vector<std::vector<Address>> open_;  // by port: lines that it accesses, where they must not overlap
  std::shared_ptr<Memory> memory_;
  std::unordered_map<const Txn*, Line> wanted_;  // of loads without an answer; looked up only
  std::uint64_t checked_ = 0, wrong_ = 0;
};

}  // namespace strata
