#include "traces/cuda/device/module.h"

#include <cstdlib>

namespace strata::cuda {

traces::PtxProgram& Module::program() {
  if (program_ == nullptr) program_ = traces::PtxProgram::open(text_, name_);
  return *program_;
}

std::shared_ptr<const traces::PtxProgram> Module::share() {
  program();
  return program_;
}

int Module::ptx_version() const {
  const std::size_t at = text_.find(".target sm_");
  return at == std::string::npos ? 0 : std::atoi(text_.c_str() + at + 11);
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
