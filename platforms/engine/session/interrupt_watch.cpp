#include "platforms/engine/session/interrupt_watch.h"

#include <csignal>
#include <ctime>
#include <unistd.h>

namespace strata::platforms {
namespace {

struct Watched {
  int signal;
  const char* name;
};

constexpr Watched watched[] = {{SIGINT, "SIGINT"},   {SIGTERM, "SIGTERM"},     {SIGHUP, "SIGHUP"},
                               {SIGXCPU, "SIGXCPU"}, {SIGUSR1, "SIGUSR1"},     {SIGUSR2, "SIGUSR2"},
                               {SIGALRM, "SIGALRM"}, {SIGVTALRM, "SIGVTALRM"}, {SIGPROF, "SIGPROF"}};
constexpr long long impatience = 500'000'000;  // nanoseconds; programs such as timeout send a signal twice

volatile sig_atomic_t flag = 0;  // the first signal
int watches = 0;
long long first_at = 0;

long long now() {
  struct timespec time {};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<long long>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

void take(int signal) {
  if (flag == 0) {
    first_at = now();
    flag = signal;
  } else if (signal == SIGINT && now() - first_at > impatience) {
    ::signal(SIGINT, SIG_DFL);
    ::raise(SIGINT);
  }
}

}  // namespace

InterruptWatch::InterruptWatch() {
  if (watches++ != 0) return;
  flag = 0;
  struct sigaction action {};
  action.sa_handler = take;
  action.sa_flags = SA_RESTART;
  for (const Watched& one : watched) sigaddset(&action.sa_mask, one.signal);
  const auto watch = [&](int signal) {
    before_.push_back({signal, {}});
    sigaction(signal, &action, &before_.back().action);
  };
  for (const Watched& one : watched) {
    watch(one.signal);
    const Before& before = before_.back();
    if (before.action.sa_handler == SIG_IGN && one.signal != SIGINT)
      sigaction(one.signal, &before.action, nullptr);
  }
  action.sa_handler = SIG_IGN;
  watch(SIGPIPE);
}

InterruptWatch::~InterruptWatch() {
  --watches;
  for (const Before& one : before_) sigaction(one.signal, &one.action, nullptr);
}

bool InterruptWatch::requested() {
  return flag != 0;
}

std::string InterruptWatch::signal_name() {
  for (const Watched& one : watched)
    if (one.signal == flag) return one.name;
  return {};
}

}  // namespace strata::platforms
