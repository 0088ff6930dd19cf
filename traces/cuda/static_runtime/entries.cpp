#include <cstddef>

#include "traces/cuda/static_runtime/bare.h"

// Each entry loads its number into a register that is free at a call, and jumps to the call in strata_calls.
// The first time it looks the call up, and preserves all registers that may hold arguments.
#if defined(__x86_64__)
asm(R"(
  .text
  .balign 16
  .globl strata_entries
  .hidden strata_entries
strata_entries:
  .set strata_number, 0
  .rept 3072
  movl $strata_number, %r11d
  jmp strata_entered
  .balign 16
  .set strata_number, strata_number + 1
  .endr
strata_entered:
  leaq strata_calls(%rip), %r10
  movq (%r10,%r11,8), %r10
  testq %r10, %r10
  jz strata_first
  jmp *%r10
strata_first:
  pushq %rdi
  pushq %rsi
  pushq %rdx
  pushq %rcx
  pushq %r8
  pushq %r9
  pushq %rax
  subq $128, %rsp
  movups %xmm0, 0(%rsp)
  movups %xmm1, 16(%rsp)
  movups %xmm2, 32(%rsp)
  movups %xmm3, 48(%rsp)
  movups %xmm4, 64(%rsp)
  movups %xmm5, 80(%rsp)
  movups %xmm6, 96(%rsp)
  movups %xmm7, 112(%rsp)
  movl %r11d, %edi
  call strata_first_call
  movq %rax, %r10
  movups 0(%rsp), %xmm0
  movups 16(%rsp), %xmm1
  movups 32(%rsp), %xmm2
  movups 48(%rsp), %xmm3
  movups 64(%rsp), %xmm4
  movups 80(%rsp), %xmm5
  movups 96(%rsp), %xmm6
  movups 112(%rsp), %xmm7
  addq $128, %rsp
  popq %rax
  popq %r9
  popq %r8
  popq %rcx
  popq %rdx
  popq %rsi
  popq %rdi
  jmp *%r10
)");
#elif defined(__aarch64__)
asm(R"(
  .text
  .balign 16
  .globl strata_entries
  .hidden strata_entries
strata_entries:
  .set strata_number, 0
  .rept 3072
  mov w16, #strata_number
  b strata_entered
  .balign 16
  .set strata_number, strata_number + 1
  .endr
strata_entered:
  adrp x17, strata_calls
  add x17, x17, :lo12:strata_calls
  ldr x17, [x17, x16, lsl #3]
  cbz x17, strata_first
  br x17
strata_first:
  stp x29, x30, [sp, #-224]!
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  stp x6, x7, [sp, #64]
  str x8, [sp, #80]
  stp q0, q1, [sp, #96]
  stp q2, q3, [sp, #128]
  stp q4, q5, [sp, #160]
  stp q6, q7, [sp, #192]
  mov w0, w16
  bl strata_first_call
  mov x17, x0
  ldp x0, x1, [sp, #16]
  ldp x2, x3, [sp, #32]
  ldp x4, x5, [sp, #48]
  ldp x6, x7, [sp, #64]
  ldr x8, [sp, #80]
  ldp q0, q1, [sp, #96]
  ldp q2, q3, [sp, #128]
  ldp q4, q5, [sp, #160]
  ldp q6, q7, [sp, #192]
  ldp x29, x30, [sp], #224
  br x17
)");
#else
#error "programs with a static runtime library: no entries for this processor"
#endif

namespace {
constexpr std::size_t entry_bytes = 16;
}

extern "C" {
extern const unsigned char strata_entries[];
__attribute__((visibility("hidden"))) void* strata_calls[strata::cuda::entries];
__attribute__((visibility("hidden"), used)) void* strata_first_call(unsigned number) {
  void* const call = strata::cuda::find_call(number);
  __atomic_store_n(&strata_calls[number], call, __ATOMIC_RELEASE);
  return call;
}
}

namespace strata::cuda {

static_assert(entries == 3072, "the code above has so many");

const void* entry(unsigned number) {
  return strata_entries + number * entry_bytes;
}

}  // namespace strata::cuda
