#pragma once

#include <memory>
#include <string>

#include "traces/ptx/module.h"

namespace strata::traces::ptx {

/// Parse PTX text; `file` stands in messages. Throws TraceError.
std::unique_ptr<Module> parse_module(const std::string& text, const std::string& file);

}  // namespace strata::traces::ptx
