#include "models/tlm/module_kind.h"

#include <array>

namespace strata {
namespace {

struct Row {
  std::string_view name, sentence, place;
  std::vector<Cause> causes;
};

const Row& row_of(Role role) {
  static const std::array<Row, static_cast<std::size_t>(Role::count_)> rows = {{
      {"none", "takes no part in figures of the whole machine", "", {}},
      {"dispatcher", "hands the work of a trace out", "", {}},
      {"sm",
       "executes instructions and sends line accesses",
       "sm",
       {Cause::queue, Cause::reconfiguration, Cause::foreign}},
      {"generator", "sends line accesses in place of SMs", "sm", {}},
      {"l1",
       "caches lines for one SM or for a few",
       "l1",
       {Cause::port, Cause::pipeline, Cause::full, Cause::merge, Cause::miss_queue, Cause::fill}},
      {"router",
       "carries requests and replies between the SMs' side and the LLC",
       "noc",
       {Cause::request_link, Cause::request_serial, Cause::request_router, Cause::request_queue,
        Cause::reply_link, Cause::reply_serial, Cause::reply_router, Cause::reply_queue}},
      {"llc",
       "caches lines on the memory's side for all SMs",
       "llc",
       {Cause::queue, Cause::pipeline, Cause::full, Cause::merge, Cause::reply_port}},
      {"control", "decides how the LLC is organized", "", {}},
      {"memory",
       "schedules the requests of a memory channel",
       "memory",
       {Cause::queue, Cause::activate, Cause::conflict, Cause::access, Cause::bus}},
      {"channel", "a DRAM channel", "", {}},
      {"observer", "counts what others do, and takes no time", "", {}},
  }};
  return rows[static_cast<std::size_t>(role)];
}

}  // namespace

std::string_view to_text(Role role) {
  return row_of(role).name;
}

std::string_view sentence(Role role) {
  return row_of(role).sentence;
}

std::string_view place_of(Role role) {
  return row_of(role).place;
}

const std::vector<Cause>& causes_of(Role role) {
  return row_of(role).causes;
}

const LedgerPlaces& nominal_places() {
  static const LedgerPlaces places = [] {
    LedgerPlaces all;
    for (int r = 0; r < static_cast<int>(Role::count_); ++r)
      for (const Cause cause : causes_of(Role(r))) all.add(place_of(Role(r)), cause);
    return all;
  }();
  return places;
}

}  // namespace strata
