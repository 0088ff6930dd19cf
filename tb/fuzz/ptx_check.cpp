#include "tb/fuzz/ptx_check.h"

#include <stdexcept>

#include "models/common/faults.h"
#include "traces/ptx/read_only_report.h"

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

void run_ptx(const std::shared_ptr<const traces::PtxProgram>& program) {
  for (const traces::PtxKernel& k : program->kernels()) {
    traces::GlobalMemory memory;
    traces::PtxLaunch launch;
    launch.program = program;
    launch.kernel = k.name;
    launch.block.x = 40;
    for (const traces::PtxParameter& p : k.parameters) {
      traces::PtxArgument argument;
      argument.bytes.resize(p.bytes, 3);
      if (p.bytes == 8) argument = traces::PtxArgument(memory.upload(std::vector<std::uint32_t>(512, 1)));
      if (p.bytes == 4) argument = traces::PtxArgument(std::uint32_t{16});
      launch.arguments.push_back(argument);
    }
    traces::PtxOptions options;
    options.watchdog = 20000;
    options.read_only = traces::PtxOptions::ReadOnly::analysis;
    traces::execute(launch, memory, options);
  }
}

}  // namespace strata::tb
