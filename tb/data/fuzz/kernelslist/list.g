MemcpyHtoD,0x00007f0000000000,163840
kernel-1.traceg
# comment
 ./kernel-1.traceg
