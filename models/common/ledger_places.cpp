#include "models/common/ledger_places.h"

#include <algorithm>
#include <tuple>

#include "models/common/faults.h"
#include "models/common/named.h"

namespace strata {
namespace {

struct CauseText {
  Cause value;
  std::string_view name;
  std::string_view sentence;
};

constexpr CauseText texts[] = {
    {Cause::request_link, "request_link", "crossing links towards the data"},
    {Cause::request_serial, "request_serial", "tail flits of the request following its head"},
    {Cause::request_router, "request_router", "router pipeline stages, request network"},
    {Cause::request_queue, "request_queue",
     "arbitration, credits and head-of-line blocking, request network"},
    {Cause::queue, "queue", "waiting in front of a block for its turn"},
    {Cause::port, "port", "port or bank occupied by another access"},
    {Cause::pipeline, "pipeline", "tag and data access"},
    {Cause::full, "full", "no MSHR, merge slot or replaceable line free"},
    {Cause::merge, "merge", "waiting for a fill that another access asked for"},
    {Cause::miss_queue, "miss_queue", "between a cache and its first link"},
    {Cause::activate, "activate", "opening a DRAM row in an idle bank"},
    {Cause::conflict, "conflict", "closing another DRAM row, then opening this one"},
    {Cause::access, "access", "DRAM column access latency"},
    {Cause::bus, "bus", "DRAM data bus occupied, burst transfer"},
    {Cause::reply_port, "reply_port", "waiting for a block's reply port"},
    {Cause::reply_link, "reply_link", "crossing links towards the SM"},
    {Cause::reply_serial, "reply_serial", "tail flits of the reply following its head"},
    {Cause::reply_router, "reply_router", "router pipeline stages, reply network"},
    {Cause::reply_queue, "reply_queue", "arbitration, credits and head-of-line blocking, reply network"},
    {Cause::fill, "fill", "fill and delivery to the SM"},
    {Cause::reconfiguration, "reconfiguration", "stalled by a cache flush or an LLC reorganization"},
    {Cause::external, "external", "inside a module that keeps no ledger"},
};
static_assert(names_all(texts, Cause::external));

/// 0 there, 1 back, 2 beside the way.
int leg(Cause cause) {
  return cause < Cause::reply_port ? 0 : cause < Cause::reconfiguration ? 1 : 2;
}

}  // namespace

std::string_view to_text(Cause cause) {
  return row_of_value(texts, cause).name;
}

std::string_view sentence(Cause cause) {
  return row_of_value(texts, cause).sentence;
}

bool is_wait(Cause cause) {
  switch (cause) {
    case Cause::request_queue:
    case Cause::queue:
    case Cause::port:
    case Cause::full:
    case Cause::miss_queue:
    case Cause::conflict:
    case Cause::reply_port:
    case Cause::reply_queue:
    case Cause::reconfiguration:
      return true;
    default:
      return false;
  }
}

std::optional<Cause> cause_called(std::string_view name) {
  const CauseText* row = find_named(texts, name);
  return row == nullptr ? std::nullopt : std::optional(row->value);
}

PlaceName split_place(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return {"", std::string(name)};
  return {std::string(name.substr(0, dot)), std::string(name.substr(dot + 1))};
}

Place LedgerPlaces::add(std::string_view place, Cause cause) {
  const auto known = std::find_if(rows_.begin(), rows_.end(),
                                  [&](const Row& row) { return row.cause == cause && row.place == place; });
  if (known != rows_.end()) return static_cast<Place>(known - rows_.begin());
  if (size() == most_places) {
    std::string names;
    for (const Stop& stop : stops()) names += (names.empty() ? "" : ", ") + stop.place;
    throw ConfigError("ledger_place: no row is left in the ledger for " + std::string(place) + "." +
                      std::string(to_text(cause)) + "; all places together have at most " +
                      std::to_string(most_places) + ", each one for each of its causes. Places so far: " +
                      names + "; give blocks of a kind the same place");
  }
  rows_.push_back({std::string(place), cause});
  return static_cast<Place>(rows_.size() - 1);
}

std::optional<Place> LedgerPlaces::find(std::string_view name) const {
  for (int row = 0; row < size(); ++row)
    if (this->name(Place(row)) == name) return Place(row);
  return std::nullopt;
}

std::string LedgerPlaces::name(Place place) const {
  const Row& row = rows_[static_cast<std::size_t>(place)];
  return row.place + "." + std::string(to_text(row.cause));
}

std::vector<LedgerPlaces::Stop> LedgerPlaces::stops() const {
  std::vector<Stop> stops;
  const auto has = [](const auto& list, const std::string& place) {
    return std::any_of(list.begin(), list.end(), [&](const auto& one) { return one.place == place; });
  };
  for (const Stop& stop : way_)
    if (has(rows_, stop.place)) stops.push_back(stop);
  for (const Row& row : rows_)
    if (!has(stops, row.place)) stops.push_back({row.place, ""});
  return stops;
}

std::vector<Place> LedgerPlaces::on_the_way() const {
  const std::vector<Stop> way = stops();
  const auto order = [&](Place place) {
    const Row& row = rows_[static_cast<std::size_t>(place)];
    const auto stop =
        std::find_if(way.begin(), way.end(), [&](const Stop& one) { return one.place == row.place; });
    const auto distance = static_cast<int>(stop - way.begin());
    return std::make_tuple(leg(row.cause), leg(row.cause) == 1 ? -distance : distance, row.cause);
  };
  std::vector<Place> all;
  for (int row = 0; row < size(); ++row) all.push_back(Place(row));
  std::sort(all.begin(), all.end(), [&](Place a, Place b) { return order(a) < order(b); });
  return all;
}

}  // namespace strata
