#pragma once

#include "platforms/engine/session/session.h"
#include "tb/support/catch.h"

namespace strata::tb {

/// Runs the kernels of a source on a machine to their end: every check of the session holds, and no protocol
/// checker complains.
inline platforms::RunOutcome run_to_end(platforms::Platform& platform, InstructionSource& source) {
  platforms::Session session(platform, source, {});
  platform.finish_elaboration();
  platforms::RunOutcome outcome = session.run();
  for (const std::string& message : outcome.messages) UNSCOPED_INFO(message);
  REQUIRE(outcome.exit_code == platforms::exit_ok);
  CHECK(platform.protocol_violations() == 0);
  return outcome;
}

}  // namespace strata::tb
