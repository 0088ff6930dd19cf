#include <cuda_fp16.h>
__device__ __noinline__ float helper(float a, int n){ float s=0; for(int i=0;i<n;i++) s+=a*i; return s;}
__constant__ float ctab[64];
__global__ void k1(const float* a, float* b, int n){
  __shared__ float sm[256];
  extern __shared__ int dyn[];
  int i = blockIdx.x*blockDim.x+threadIdx.x;
  if(i<n){ sm[threadIdx.x]=a[i]; dyn[threadIdx.x]=i; }
  __syncthreads();
  if(i<n){ float v=helper(sm[255-threadIdx.x], dyn[threadIdx.x]&7); v+=ctab[i&63]; v+=__shfl_xor_sync(~0u,v,1);
   int l[8]; for(int j=0;j<8;j++) l[j]=i*j; b[i]=v+l[i&7]; atomicAdd(b+n,v);}
}
struct P{int a; float*p; double d;};
__global__ void k2(P p, __half2* h, int4* q){ int i=threadIdx.x; p.p[i]=p.a+p.d; h[i]=__hadd2(h[i],h[i+1]); int4 v=q[i]; v.x+=1; q[i+100]=v;
  if(__any_sync(~0u,v.y>3)) p.p[i+4]=sinf(p.p[i]); while(p.p[i]>3){p.p[i]-=1; if(p.p[i]==7) break;} 
  switch(v.w){case 0:p.p[9]=1;break;case 1:p.p[10]=2;break;case 2:p.p[11]=3;break;case 3:p.p[12]=1;break;case 4:p.p[13]=1;break;case 5: p.p[19]=2;break;}}
