#pragma once

#include <functional>
#include <ucontext.h>

namespace strata::cuda {

/// A course of calls that stops in the middle and goes on later, on a stack of its own.
class Fiber {
 public:
  explicit Fiber(std::function<void()> body);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  /// Until it ends or suspends itself. What it throws does not come out: `body` sees to that.
  void resume();
  /// Called by the body: the caller of resume() goes on.
  void suspend();
  bool ended() const { return ended_; }

 private:
  static void enter(unsigned low, unsigned high);

  std::function<void()> body_;
  void* stack_ = nullptr;
  ucontext_t here_ = {}, there_ = {};  ///< the fiber; who resumed it
  bool ended_ = false;
};

}  // namespace strata::cuda
