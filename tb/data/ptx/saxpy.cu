
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
struct dim { __attribute__((device)) unsigned getx() const; };
#define tidx __nvvm_read_ptx_sreg_tid_x()
#define ntidx __nvvm_read_ptx_sreg_ntid_x()
#define ctaidx __nvvm_read_ptx_sreg_ctaid_x()
struct S{int a; float* p;};
extern "C" __global__ void saxpy(S s, const float* x, float* y, int n){ __shared__ float t[64]; int i=ctaidx*ntidx+tidx; if(i<n){t[tidx]=x[i]; __nvvm_bar_sync(0); y[i]=s.a*t[tidx]+y[i]+s.p[i];} for(int k=0;k<n;k++) y[k*i]+=x[k]; }
