#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

/// Why cycles pass, wherever they do: a small set, for every kind of block.
enum class Cause : std::uint8_t {
  // On the way to the data, in this order within a place.
  request_link,    // crossing links
  request_serial,  // tail flits of the request following its head
  request_router,  // router pipeline stages
  request_queue,   // arbitration, credits and head-of-line blocking
  queue,           // in front of a block
  port,            // its port or bank occupied
  pipeline,        // tag and data access
  full,            // no MSHR, no merge slot or no replaceable line
  merge,           // waiting for a fill that another access asked for
  miss_queue,      // between a cache and its first link
  activate,        // a DRAM row had to be opened
  conflict,        // another row had to be closed first
  access,          // DRAM column access latency
  bus,             // DRAM data bus occupied, burst transfer
  // On the way back.
  reply_port,  // waiting for a block's reply port
  reply_link,  // as for requests
  reply_serial,
  reply_router,
  reply_queue,
  fill,  // fill and delivery
  // Beside the way.
  reconfiguration,  // stalled while an LLC organization changes or caches are flushed
  external,         // inside a module that keeps no ledger
  count_
};

constexpr int cause_count = static_cast<int>(Cause::count_);

std::string_view to_text(Cause cause);
std::string_view sentence(Cause cause);
/// These cycles are lost to contention: they would not pass for a request alone.
bool is_wait(Cause cause);
std::optional<Cause> cause_called(std::string_view name);

/// A row of the ledger: one cause at one place. The charging block keeps it.
enum class Place : std::uint8_t {};
constexpr int row_of(Place place) {
  return static_cast<int>(place);
}

constexpr int most_places = 64;   ///< rows of a ledger
constexpr int usual_places = 32;  ///< rows that cost nothing extra
constexpr Place no_place{0xff};   ///< not handed out yet

/// `noc` and `request_queue` of "noc.request_queue"; the place is empty where the name has no dot.
struct PlaceName {
  std::string place;
  std::string cause;
};
PlaceName split_place(std::string_view name);

/// The rows that the ledgers of a platform have, handed out while it is built. A place is a part of an
/// access's way that has a name of its own: all L1s, a network, a third-party block.
class LedgerPlaces {
 public:
  /// The row of a cause at a place: a new one when it is first asked for. Throws ConfigError when all are
  /// taken.
  Place add(std::string_view place, Cause cause);
  std::optional<Place> find(std::string_view name) const;  ///< of "noc.request_queue"

  int size() const { return static_cast<int>(rows_.size()); }
  std::string name(Place place) const;  ///< "noc.request_queue"
  Cause cause(Place place) const { return rows_[static_cast<std::size_t>(place)].cause; }

  /// What is where: the places in the order in which a request comes to them, each with the role of its
  /// blocks.
  struct Stop {
    std::string place;
    std::string role;
  };
  void set_way(std::vector<Stop> way) { way_ = std::move(way); }
  /// Those that have a row, in that order; places of no way come last.
  std::vector<Stop> stops() const;
  /// All rows in the order of an access's way there and back.
  std::vector<Place> on_the_way() const;

 private:
  struct Row {
    std::string place;
    Cause cause;
  };
  std::vector<Row> rows_;
  std::vector<Stop> way_;
};

}  // namespace strata
