#include "models/llc_slice/rtl_slice_replay.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <unistd.h>

#include "models/common/faults.h"

namespace strata {
namespace {

constexpr std::uint64_t cycle_ps = 1000;

/// A file that is gone when it is not needed any more.
class ScratchFile {
 public:
  ScratchFile() {
    const char* folder = std::getenv("TMPDIR");
    path_ = std::string(folder != nullptr ? folder : "/tmp") + "/strata-waves-XXXXXX";
    const int fd = ::mkstemp(path_.data());
    if (fd < 0) throw ConfigError("cannot write waves to " + path_);
    ::close(fd);
  }
  ~ScratchFile() { ::unlink(path_.c_str()); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  const std::string& path() const { return path_; }
  std::string content() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::string path_;
};

}  // namespace

std::string RtlSliceReplay::waves(const RtlSlice& of) const {
  const std::unique_ptr<RtlSlice> another = of.another();
  if (another == nullptr) return {};
  RtlSlice& slice = *another;
  const ScratchFile file;
  slice.reset();
  bool shown = false;
  RtlSliceOut out;
  const auto step = [&](const RtlSliceIn& in, Cycle cycle) {
    slice.low(in, out);
    if (shown) slice.dump(cycle * cycle_ps);
    slice.high();
    if (shown) slice.dump(cycle * cycle_ps + cycle_ps / 2);
  };
  for (const Span& span : spans_)
    for (Cycle cycle = span.begin; cycle < span.end; ++cycle) {
      if (!shown && cycle >= first()) {
        if (!slice.waves(file.path())) return {};
        shown = true;
      }
      step(span.in, cycle);
    }
  RtlSliceIn idle;
  idle.rsp_ready = idle.mreq_ready = true;
  for (Cycle cycle = last() + 1; cycle <= last() + after; ++cycle) step(idle, cycle);
  slice.waves({});
  return file.content();
}

std::string RtlSliceReplay::span() const {
  return "waves of cycles " + std::to_string(first()) + " to " + std::to_string(last() + after) +
         " around the difference in cycle " + std::to_string(last());
}

}  // namespace strata
