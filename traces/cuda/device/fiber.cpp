#include "traces/cuda/device/fiber.h"

#include <cstdint>
#include <new>
#include <sys/mman.h>
#include <utility>
#include <vector>

namespace strata::cuda {
namespace {

constexpr std::size_t stack_bytes = std::size_t{8}
                                    << 20;  ///< as a thread's: functions of the host run here too
constexpr std::size_t guard_bytes = 4096;
constexpr std::size_t most_kept = 16;

std::vector<void*>& kept() {
  static auto* const all = new std::vector<void*>;
  return *all;
}

}  // namespace

Fiber::Fiber(std::function<void()> body) : body_(std::move(body)) {
  if (!kept().empty()) {
    stack_ = kept().back();
    kept().pop_back();
  } else {
    stack_ = ::mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
    if (stack_ == MAP_FAILED) throw std::bad_alloc();
    ::mprotect(stack_, guard_bytes, PROT_NONE);
  }
  ::getcontext(&here_);
  here_.uc_stack.ss_sp = stack_;
  here_.uc_stack.ss_size = stack_bytes;
  here_.uc_link = nullptr;
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  ::makecontext(&here_, reinterpret_cast<void (*)()>(enter), 2, static_cast<unsigned>(self),
                static_cast<unsigned>(self >> 32));
}

Fiber::~Fiber() {
  if (ended_ && kept().size() < most_kept)
    kept().push_back(stack_);
  else
    ::munmap(stack_, stack_bytes);
}

void Fiber::enter(unsigned low, unsigned high) {
  auto* const self = reinterpret_cast<Fiber*>(std::uintptr_t{low} | std::uintptr_t{high} << 32);
  self->body_();
  self->ended_ = true;
  self->suspend();
}

void Fiber::resume() {
  ::swapcontext(&there_, &here_);
}

void Fiber::suspend() {
  ::swapcontext(&here_, &there_);
}

}  // namespace strata::cuda
