#pragma once

#include <string>
#include <vector>

#include "traces/ptx/lanes/handler_rows.h"

namespace strata::traces::ptx {

/// The handler of a key for the widest instruction set of this machine; null if there is none.
const HandlerEntry* find_handler(const std::string& key);
std::vector<std::string> handler_keys();
/// `avx2` or `baseline`.
const char* instruction_set();

}  // namespace strata::traces::ptx
