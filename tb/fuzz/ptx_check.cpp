#include "tb/fuzz/ptx_check.h"

#include <stdexcept>

#include "models/common/faults.h"
#include "traces/ptx/read_only.h"

namespace strata::tb {
namespace {

void check_rewrite(const traces::PtxProgram& program, const std::string& text) {
  traces::analyse_read_only(program);
  std::uint32_t changed = 0;
  const std::string once = traces::rewrite_read_only(program, text, {}, changed);
  if (once.size() != text.size() + 3 * std::size_t{changed}) throw std::logic_error("a rewrite changes more");
  if (changed == 0) return;
  try {
    const auto again = traces::PtxProgram::parse(once, "fuzz.ptx");
    if (traces::rewrite_read_only(*again, once, {}, changed) != once)
      throw std::logic_error("a rewritten text is not its own rewrite");
  } catch (const TraceError& error) {
    throw std::logic_error(std::string("a rewritten text is refused: ") + error.what());
  }
}

}  // namespace

bool check_ptx(const std::string& text) {
  std::shared_ptr<const traces::PtxProgram> program;
  try {
    program = traces::PtxProgram::parse(text, "fuzz.ptx");
  } catch (const TraceError&) {
    return false;
  }
  check_rewrite(*program, text);
  return true;
}

}  // namespace strata::tb
