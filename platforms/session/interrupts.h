#pragma once

#include <signal.h>

namespace strata::platforms {

/// While it lives, the first SIGINT or SIGTERM only sets a flag; a second one ends the process as usual.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  static bool requested();

 private:
  struct sigaction before_int_ {};
  struct sigaction before_term_ {};
};

}  // namespace strata::platforms
