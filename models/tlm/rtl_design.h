#pragma once

#include <memory>
#include <string_view>

namespace strata {

/// A design in RTL, free of SystemC. What is asked of it is the module's to say whose place it takes:
/// `RtlSlice` is what `llc_slice` asks.
class RtlModule {
 public:
  virtual ~RtlModule() = default;
};

/// A row of a plug-in: RTL that runs in the place of a module's model where a netlist says `timing: rtl`. The
/// kind keeps its name, and with it reports, counters and laws.
struct RtlDesign {
  std::string_view module;
  std::string_view name;
  std::string_view summary;
  std::unique_ptr<RtlModule> (*make)();
};

}  // namespace strata
