#pragma once

namespace strata::traces {

/// Stands for all that turns traces and PTX into instructions: the hash of its sources, made by the build.
extern const char* const stream_version;

}  // namespace strata::traces
