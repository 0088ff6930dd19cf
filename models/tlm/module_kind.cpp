#include "models/tlm/module_kind.h"

#include <iterator>

#include "models/common/named.h"

namespace strata {
namespace {

struct Row {
  Role value;
  std::string_view name, sentence, place;
  std::vector<Cause> causes;
};

const Row& row_of(Role role) {
  static const Row rows[] = {
      {Role::none, "none", "takes no part in figures of the whole machine", "", {}},
      {Role::dispatcher, "dispatcher", "hands the work of a trace out", "", {}},
      {Role::sm,
       "sm",
       "executes instructions and sends line accesses",
       "sm",
       {Cause::queue, Cause::reconfiguration, Cause::foreign}},
      {Role::generator, "generator", "sends line accesses in place of SMs", "sm", {}},
      {Role::l1,
       "l1",
       "caches lines for one SM or for a few",
       "l1",
       {Cause::port, Cause::pipeline, Cause::full, Cause::merge, Cause::miss_queue, Cause::fill}},
      {Role::router,
       "router",
       "carries requests and replies between the SMs' side and the LLC",
       "noc",
       {Cause::request_link, Cause::request_serial, Cause::request_router, Cause::request_queue,
        Cause::reply_link, Cause::reply_serial, Cause::reply_router, Cause::reply_queue}},
      {Role::llc,
       "llc",
       "caches lines on the memory's side for all SMs",
       "llc",
       {Cause::queue, Cause::pipeline, Cause::full, Cause::merge, Cause::reply_port}},
      {Role::control, "control", "decides how the LLC is organized", "", {}},
      {Role::memory,
       "memory",
       "schedules the requests of a memory channel",
       "memory",
       {Cause::queue, Cause::activate, Cause::conflict, Cause::access, Cause::bus}},
      {Role::channel, "channel", "a DRAM channel", "", {}},
      {Role::observer, "observer", "counts what others do, and takes no time", "", {}},
  };
  static_assert(std::size(rows) == static_cast<std::size_t>(Role::count_));
  return row_of_value(rows, role);
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
