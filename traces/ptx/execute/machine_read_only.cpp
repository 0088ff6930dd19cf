// Which loads of a launch are read-only loads.
#include <cstring>

#include "models/common/faults.h"
#include "traces/ptx/execute/machine.h"

namespace strata::traces::ptx {
namespace {

constexpr std::uint64_t beside = 2 * GlobalMemory::alignment;  ///< the gap between two allocations, at most

}  // namespace

void Machine::mark_loads() {
  using ReadOnly = PtxOptions::ReadOnly;
  const ReadOnly policy = options_.read_only.value_or(ReadOnly::nc);
  if (policy == ReadOnly::none || policy == ReadOnly::oracle) return;
  bool marked = false;
  for (Op& op : ops_) {
    if (op.op_class != OpClass::load) continue;
    if ((op.flags & non_coherent) != 0) op.op_class = OpClass::read_only_load;
    marked = marked || (op.flags & never_written) != 0;
  }
  if (policy == ReadOnly::analysis || marked) prove_loads(policy == ReadOnly::analysis);
}

/// Allocations that the origins point into, or just beside (the end of an array). False when some are not
/// known.
bool Machine::reach(OriginSet origins, const Provenance& found, std::vector<std::uint8_t>& into) const {
  const auto& all = state_.memory->allocations();
  bool any = false;
  for (std::size_t n = 0; n < found.origins.size(); ++n) {
    if ((origins >> n & 1) == 0) continue;
    const Origin& o = found.origins[n];
    Address value = 0;
    if (o.kind == Origin::Kind::variable) {
      value = state_.memory->symbol(std::to_string(program_->identity()) + ":" +
                                    kernel_->module->variables[o.index].name);
    } else {
      const std::size_t at = kernel_->parameter_offsets[o.index] + o.offset;
      std::memcpy(&value, &state_.parameters[at], std::min(sizeof(value), state_.parameters.size() - at));
    }
    any = any || (value == 0 && o.pointer);  // nothing can be reached through it
    const GlobalMemory::Allocation* inside = state_.memory->find(value);
    for (std::size_t a = 0; a < all.size(); ++a) {
      const bool near = value + beside > all[a].address && value < all[a].end() + beside;
      if (inside != nullptr ? inside != &all[a] : !near) continue;  // neither: a number, not a pointer
      into[a] = 1;
      any = true;
    }
  }
  return any && (origins & ~device_origins) == 0;
}

/// Origins become allocations here: two parameters that point into one allocation share its fate. `all`:
/// every load that is proved becomes a read-only load; else only those that the file marks `.ro`.
void Machine::prove_loads(bool all) {
  const Provenance found = trace_pointers(*kernel_);
  const std::size_t count = state_.memory->allocations().size();
  std::vector<std::uint8_t> written(count, 0);
  for (const TracedAccess& a : found.accesses) {
    if (a.kind == TracedAccess::Kind::load) continue;
    const bool known = reach(a.origins, found, written);
    if (!known && a.kind != TracedAccess::Kind::escape) return;  // a store that may go anywhere
  }
  std::vector<std::uint8_t> proved(kernel_->code.size(), 0), touched(count), read_only(count, 0);
  for (const TracedAccess& a : found.accesses) {
    if (a.kind != TracedAccess::Kind::load) continue;
    std::fill(touched.begin(), touched.end(), std::uint8_t{0});
    bool clean = reach(a.origins, found, touched);
    for (std::size_t i = 0; i < count; ++i) clean = clean && (touched[i] == 0 || written[i] == 0);
    if (!clean) continue;
    proved[a.pc] = 1;
  }
  bool any = false;
  for (Op& op : ops_) {
    if (op.op_class != OpClass::load || proved[op.pc] == 0) continue;
    if (!all && (op.flags & never_written) == 0) continue;
    op.op_class = OpClass::read_only_load;
    any = true;
  }
  if (!any) return;
  for (std::size_t i = 0; i < count; ++i) read_only[i] = written[i] == 0;
  state_.read_only = read_only;
}

/// Run the launch once on a journal, and put memory back.
void Machine::find_written_lines() {
  lines_ = std::make_unique<StoreJournal>(*state_.memory);
  PtxOptions options = options_;
  options.read_only = PtxOptions::ReadOnly::none;
  const GlobalMemory::HeapBlocks heap = state_.memory->heap_blocks();
  Machine ahead(launch_, *state_.memory, options);
  ahead.state_.journal = lines_.get();
  for (std::uint64_t cta = 0; cta < info_.ctas(); ++cta) ahead.run(cta, nullptr);
  lines_->restore();
  state_.memory->restore_heap(heap);
  state_.written = lines_.get();
}

void check_failed(Warp& w, const Op* op, int lane, std::uint64_t address, bool store) {
  fault(w, op, lane,
        store ? "a store to memory that read-only analysis found to be never written in this launch:"
              : "this read-only load leaves the memory that it was proved for:",
        address, true);
}

}  // namespace strata::traces::ptx
