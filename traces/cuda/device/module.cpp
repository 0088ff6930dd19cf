#include "traces/cuda/device/module.h"

namespace strata::cuda {

traces::PtxProgram& Module::program() {
  if (program_ == nullptr) program_ = traces::PtxProgram::open(text_, name_);
  return *program_;
}

std::shared_ptr<const traces::PtxProgram> Module::share() {
  program();
  return program_;
}

Function& Module::function(const std::string& name) {
  std::unique_ptr<Function>& found = functions_[name];
  if (found == nullptr) {
    found = std::make_unique<Function>();
    found->module = this;
    found->name = name;
  }
  return *found;
}

const traces::PtxKernel& Module::kernel(const Function& function) {
  return program().prepare(function.name);
}

}  // namespace strata::cuda
