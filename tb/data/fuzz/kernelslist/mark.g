kernel-1.traceg
MemcpyDtoH,7f0000000000,64
