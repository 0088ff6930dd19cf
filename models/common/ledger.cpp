#include "models/common/ledger.h"

namespace strata {
namespace {

struct CauseText {
  std::string_view name;
  std::string_view sentence;
};

constexpr std::array<CauseText, cause_count> texts = {{
    {"coalescer", "waiting in the SM's load/store queue before its turn at the L1"},
    {"l1_port", "L1 port or bank occupied by another access"},
    {"l1_pipeline", "L1 tag and data access"},
    {"l1_mshr_full", "no L1 MSHR, merge slot or replaceable line free"},
    {"l1_merge", "waiting for an L1 fill that another access asked for"},
    {"l1_miss_queue", "between the L1 and the first link"},
    {"request_link", "crossing links towards the LLC"},
    {"request_serial", "tail flits of the request following its head"},
    {"request_router", "router pipeline stages, request network"},
    {"request_queue", "arbitration, credits and head-of-line blocking, request network"},
    {"llc_queue", "queued in front of the LLC slice"},
    {"llc_pipeline", "LLC tag and data access"},
    {"llc_mshr_full", "no LLC MSHR, merge slot or replaceable line free"},
    {"llc_merge", "waiting for an LLC fill that another request asked for"},
    {"memory_queue", "queued in the memory controller"},
    {"row_activate", "opening a row in an idle bank"},
    {"row_conflict", "closing another row, then opening this one"},
    {"dram_access", "DRAM column access latency"},
    {"dram_bus", "DRAM data bus occupied, burst transfer"},
    {"llc_reply_queue", "waiting for the LLC slice's reply port"},
    {"reply_link", "crossing links towards the SM"},
    {"reply_serial", "tail flits of the reply following its head"},
    {"reply_router", "router pipeline stages, reply network"},
    {"reply_queue", "arbitration, credits and head-of-line blocking, reply network"},
    {"l1_fill", "L1 fill and delivery to the SM"},
    {"reconfiguration", "stalled by a cache flush or an LLC reorganization"},
    {"foreign", "inside a module that keeps no ledger"},
}};

}  // namespace

std::string_view to_text(Cause cause) {
  return texts[static_cast<std::size_t>(cause)].name;
}
std::string_view sentence(Cause cause) {
  return texts[static_cast<std::size_t>(cause)].sentence;
}

}  // namespace strata
