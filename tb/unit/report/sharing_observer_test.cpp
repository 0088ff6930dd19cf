#include "platforms/report/sharing_observer.h"

#include "tb/support/catch.h"

using namespace strata;
using namespace strata::platforms;

namespace {

void see(SharedData& data, Address line, int sm, AccessClass access_class, bool at_llc,
         std::uint32_t kernel) {
  Access access;
  access.line = line;
  access.sm = static_cast<std::uint16_t>(sm);
  access.access_class = access_class;
  access.kernel = kernel;
  data.observe(access, at_llc);
}

}  // namespace

// Kernel 0. Line 0: SMs 0 and 1 load it, each once at the LLC, SM 1 three times more in its L1: 5 loads, 2 at
// the LLC, read-only. Line 128: SM 0 loads it at the LLC, SM 1 stores: shared, written, 1 load. Line 256: SM
// 2 alone, six loads: not shared. Kernel 1. Line 0 again, by SM 1 alone: not shared there. Line 256: SMs 2
// and 3 at the LLC: shared and read-only, 2 loads.
TEST_CASE("lines are shared within a kernel, and read-only when it does not store to them") {
  SharedData data;
  see(data, 0, 0, AccessClass::read_only_load, true, 0);
  see(data, 0, 1, AccessClass::read_only_load, true, 0);
  for (int i = 0; i < 3; ++i) see(data, 0, 1, AccessClass::read_only_load, false, 0);
  see(data, 128, 0, AccessClass::load, true, 0);
  see(data, 128, 1, AccessClass::store, true, 0);
  see(data, 256, 2, AccessClass::load, true, 0);
  for (int i = 0; i < 5; ++i) see(data, 256, 2, AccessClass::load, false, 0);
  see(data, 0, 1, AccessClass::load, true, 1);
  see(data, 256, 2, AccessClass::load, true, 1);
  see(data, 256, 3, AccessClass::load, true, 1);
  data.finish();
  CHECK(data.lines == 3);
  CHECK(data.read_only_lines == 2);
  CHECK(data.loads == 5 + 1 + 2);
  CHECK(data.llc_loads == 2 + 1 + 2);
}

// A line that an SM stores to before another loads it is shared; one that a single SM writes is not.
TEST_CASE("the first SM may be one that stores") {
  SharedData data;
  see(data, 0, 0, AccessClass::store, true, 0);
  see(data, 0, 1, AccessClass::load, true, 0);
  see(data, 128, 4, AccessClass::atomic, true, 0);
  see(data, 128, 4, AccessClass::atomic, true, 0);
  data.finish();
  CHECK(data.lines == 1);
  CHECK(data.read_only_lines == 0);
  CHECK(data.loads == 1);
}
