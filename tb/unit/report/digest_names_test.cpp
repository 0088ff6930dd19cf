#include "platforms/report/digest_names.h"

#include <catch2/catch.hpp>

#include "platforms/report/digest.h"

namespace strata::platforms {
namespace {

InstanceStats table_of(std::string kind, std::vector<CounterRow> counters) {
  InstanceStats table;
  table.instance = "block[0]";
  table.kind = std::move(kind);
  table.counters = std::move(counters);
  return table;
}

std::uint64_t digest_of_table(const InstanceStats& table) {
  return digest({table}, LedgerTotals{}, LedgerPlaces{});
}

}  // namespace

TEST_CASE("digest: a counter that came after its list changes no digest") {
  const InstanceStats before = table_of("llc_slice", {{"accesses", "", "", 7}});
  const InstanceStats after =
      table_of("llc_slice", {{"write_merges_of_a_later_version", "", "", 3}, {"accesses", "", "", 7}});
  CHECK(digest_of_table(after) == digest_of_table(before));
  CHECK(digest_of_table(table_of("llc_slice", {{"accesses", "", "", 8}})) != digest_of_table(before));
}

TEST_CASE("digest: all counters of a module that its list does not know are part of it") {
  const InstanceStats before = table_of("module_of_a_plugin", {{"accesses", "", "", 7}});
  const InstanceStats after = table_of("module_of_a_plugin", {{"accesses", "", "", 7}, {"other", "", "", 3}});
  CHECK(digest_of_table(after) != digest_of_table(before));
}

TEST_CASE("digest: a row of the ledger counts by its place in the list; one that is not there by its name") {
  FnvHash usual, other_order, later, later_without_cycles;
  add_cycles({{"l1.port", 5}, {"llc.queue", 2}}, usual);
  add_cycles({{"llc.queue", 2}, {"l1.port", 5}}, other_order);
  add_cycles({{"l1.port", 5}, {"llc.queue", 2}, {"tlb.walk", 4}}, later);
  add_cycles({{"l1.port", 5}, {"llc.queue", 2}, {"tlb.walk", 0}}, later_without_cycles);
  CHECK(usual.value() == other_order.value());
  CHECK(usual.value() != later.value());
  CHECK(usual.value() == later_without_cycles.value());
}

}  // namespace strata::platforms
