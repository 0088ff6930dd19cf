#include "models/tlm/module_kind.h"

#include <array>

namespace strata {
namespace {

struct Row {
  std::string_view name, sentence;
};

constexpr std::array<Row, static_cast<std::size_t>(Role::count_)> rows = {{
    {"none", "takes no part in figures of the whole machine"},
    {"dispatcher", "hands the work of a trace out"},
    {"sm", "executes instructions and sends line accesses"},
    {"generator", "sends line accesses in place of SMs"},
    {"l1", "caches lines for one SM or for a few"},
    {"router", "carries requests and replies between the SMs' side and the LLC"},
    {"llc", "caches lines on the memory's side for all SMs"},
    {"control", "decides how the LLC is organized"},
    {"memory", "schedules the requests of a memory channel"},
    {"channel", "a DRAM channel"},
}};

}  // namespace

std::string_view to_text(Role role) {
  return rows[static_cast<std::size_t>(role)].name;
}

std::string_view sentence(Role role) {
  return rows[static_cast<std::size_t>(role)].sentence;
}

}  // namespace strata
