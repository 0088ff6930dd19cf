# An Accel-Sim trace in which each lane loads four words from random places of 64 MiB, and each warp stores a row:
# awk -f random_gather.awk >kernel-1.traceg. 160 CTAs of 256 threads; the minimal standard generator, seed 1.
function place() { state = state * 48271 % 2147483647; return 4 * (state % 16777216) }
BEGIN {
  state = 1
  print "-kernel name = random_gather\n-kernel id = 1\n-grid dim = (160,1,1)\n-block dim = (256,1,1)\n-shmem = 0\n-nregs = 24"
  print "-binary version = 70\n-cuda stream id = 0\n-shmem base_addr = 0x00007f2000000000\n-local mem base_addr = 0x00007f2001000000"
  print "-nvbit version = synthetic\n-accelsim tracer version = 5\n-enable lineinfo = 0\n\n#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [mode] [addresses]\n"
  for (cta = 0; cta < 160; ++cta) {
    printf "#BEGIN_TB\n\nthread block = %d,0,0\n", cta
    for (warp = 0; warp < 8; ++warp) {
      printf "\nwarp = %d\ninsts = 12\n", warp
      print "0000 ffffffff 1 R0 S2R 0 0\n0010 ffffffff 1 R2 IMAD 2 R0 R1 0\n0020 ffffffff 1 R4 IMAD.WIDE 2 R2 R3 0"
      for (i = 0; i < 4; ++i) {
        printf "%04x ffffffff 1 R%d LDG.E.SYS 1 R4 4 0", 48 + 16 * i, 8 + i
        for (lane = 0; lane < 32; ++lane) printf " 0x7f00%08x", place()
        print ""
      }
      print "0070 ffffffff 1 R12 FADD 2 R8 R9 0\n0080 ffffffff 1 R13 FADD 2 R10 R11 0\n0090 ffffffff 1 R14 FADD 2 R12 R13 0"
      printf "00a0 ffffffff 0 STG.E.SYS 2 R6 R14 4 1 0x7f10%08x 4\n00b0 ffffffff 0 EXIT 0 0\n", 128 * (8 * cta + warp)
    }
    print "\n#END_TB\n"
  }
}
