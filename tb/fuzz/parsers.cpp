#include "tb/fuzz/parsers.h"

#include <fstream>
#include <stdexcept>
#include <unistd.h>

#include "models/common/faults.h"

namespace strata::tb {
namespace {

void write(const fs::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << bytes;
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace

FuzzFolder::FuzzFolder() {
  // In memory where that is to be had: a fuzzer writes a file for each of its inputs.
  std::error_code ignored;
  const fs::path base =
      fs::is_directory("/dev/shm", ignored) ? fs::path("/dev/shm") : fs::temp_directory_path();
  path_ = base / ("strata-fuzz-" + std::to_string(::getpid()));
  fs::create_directories(path_);
  write(file("kernel-1.traceg"),
        "-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-binary version = 70\n-accelsim tracer version = 5\n"
        "#traces format\n#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n"
        "0010 ffffffff 0 EXIT 0 0 0\n#END_TB\n");
  write(file("kernel.ptx"),
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .global .align 4 .b8 symbol[256];\n"
        ".visible .entry fill(.param .u64 p, .param .u32 n)\n{\n.reg .b32 %r<5>;\n.reg .b64 %rd<5>;\n"
        "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n"
        "add.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r1;\nret;\n}\n");
}

FuzzFolder::~FuzzFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::vector<FuzzedParser> fuzzed_parsers() {
  std::vector<FuzzedParser> all = platform_parsers();
  for (const FuzzedParser& parser : trace_parsers()) all.push_back(parser);
  return all;
}

bool take(const FuzzedParser& parser, const FuzzFolder& folder, const std::string& bytes) {
  const fs::path file = folder.file(parser.file);
  write(file, bytes);
  try {
    parser.read(file);
    return true;
  } catch (const ConfigError& error) {
    if (error.faults().empty()) throw std::logic_error("refused without a word");
  } catch (const TraceError& error) {
    if (error.fault().message.empty()) throw std::logic_error("refused without a word");
  }
  return false;
}

}  // namespace strata::tb
