#pragma once

#include <map>
#include <memory>
#include <string>

#include "traces/ptx/ptx_program.h"

namespace strata::cuda {

class Module;

/// A kernel of a module.
struct Function {
  Module* module = nullptr;
  std::string name;  ///< as the PTX has it
  int most_dynamic_shared = 48 << 10;
  // What was set of its clusters; 0: nothing.
  Dim3 cluster = {0, 0, 0};
  bool cluster_must_be_set = false, non_portable_cluster = false;
  int cluster_policy = 0;
  bool refused = false;  ///< it cannot be interpreted, which has been said
};

/// Code that an application has loaded: one PTX text, read when it is needed for the first time.
class Module {
 public:
  Module(std::string text, std::string name) : text_(std::move(text)), name_(std::move(name)) {}

  bool empty() const { return text_.empty(); }
  const std::string& text() const { return text_; }
  const std::string& name() const { return name_; }
  /// 80 of `.target sm_80`, by which programs choose among their kernels; 0: it does not say.
  int ptx_version() const;
  /// More text of the same module (-rdc=true), before it is read.
  void link(const std::string& text) { text_ += "\n" + text; }
  /// Throws TraceError.
  traces::PtxProgram& program();
  std::shared_ptr<const traces::PtxProgram> share();
  /// The kernel of this name; made when it is asked for, without a look at the text.
  Function& function(const std::string& name);
  /// What a launch must know of it. Throws TraceError when it cannot be interpreted.
  const traces::PtxKernel& kernel(const Function& function);

 private:
  std::string text_, name_;
  std::shared_ptr<traces::PtxProgram> program_;
  std::map<std::string, std::unique_ptr<Function>> functions_;
};

}  // namespace strata::cuda
