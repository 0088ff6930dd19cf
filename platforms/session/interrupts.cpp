#include "platforms/session/interrupts.h"

namespace strata::platforms {
namespace {

volatile sig_atomic_t flag = 0;

void set_flag(int) {
  flag = 1;
}

}  // namespace

InterruptWatch::InterruptWatch() {
  flag = 0;
  struct sigaction action {};
  action.sa_handler = set_flag;
  action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
  sigaction(SIGINT, &action, &before_int_);
  sigaction(SIGTERM, &action, &before_term_);
}

InterruptWatch::~InterruptWatch() {
  sigaction(SIGINT, &before_int_, nullptr);
  sigaction(SIGTERM, &before_term_, nullptr);
}

bool InterruptWatch::requested() {
  return flag != 0;
}

}  // namespace strata::platforms
