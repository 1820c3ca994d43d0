#include "predict/gpu/matrix_product_ptx.h"

namespace takt {

// By clang 14 (--cuda-gpu-arch=sm_50 -O3) from this, on tiles of 16 x 16 in shared memory; names are shortened:
//
//   for (int turn = 0; turn < repeats; ++turn)
//     for (int tile = 0; tile < n; tile += 16) {
//       left[y][x] = a[row * n + tile + x];
//       right[y][x] = b[(tile + y) * n + column];
//       __syncthreads();
//       for (int k = 0; k < 16; ++k) sum = fmaf(left[y][k], right[k][x], sum);
//       __syncthreads();
//     }
//   c[row * n + column] = sum;
const char* const matrix_product_ptx = R"ptx(
.version 4.0
.target sm_50
.address_size 64
.visible .entry takt_matrix_product(
	.param .u64 param_0,
	.param .u64 param_1,
	.param .u64 param_2,
	.param .u32 param_3,
	.param .u32 param_4
)
{
	.reg .pred 	%p<5>;
	.reg .b32 	%r<32>;
	.reg .f32 	%f<61>;
	.reg .b64 	%rd<22>;
	.shared .align 4 .b8 left[1024];
	.shared .align 4 .b8 right[1024];
	ld.param.u32 	%r19, [param_4];
	ld.param.u32 	%r18, [param_3];
	ld.param.u64 	%rd9, [param_2];
	cvta.to.global.u64 	%rd1, %rd9;
	mov.u32 	%r20, %ctaid.x;
	shl.b32 	%r1, %r20, 4;
	mov.u32 	%r2, %tid.x;
	add.s32 	%r3, %r1, %r2;
	mov.u32 	%r21, %ctaid.y;
	shl.b32 	%r22, %r21, 4;
	mov.u32 	%r4, %tid.y;
	add.s32 	%r5, %r22, %r4;
	setp.gt.s32 	%p1, %r19, 0;
	@%p1 bra 	LBB0_3;
	bra.uni 	LBB0_1;
LBB0_3:
	ld.param.u64 	%rd8, [param_0];
	ld.param.u64 	%rd10, [param_1];
	cvta.to.global.u64 	%rd2, %rd10;
	cvta.to.global.u64 	%rd3, %rd8;
	mul.lo.s32 	%r29, %r5, %r18;
	mul.wide.s32 	%rd11, %r4, 64;
	mov.u64 	%rd12, left;
	add.s64 	%rd6, %rd12, %rd11;
	mul.wide.s32 	%rd13, %r2, 4;
	add.s64 	%rd4, %rd6, %rd13;
	mov.u64 	%rd14, right;
	add.s64 	%rd15, %rd14, %rd11;
	add.s64 	%rd5, %rd15, %rd13;
	add.s64 	%rd7, %rd14, %rd13;
	mad.lo.s32 	%r24, %r4, %r18, %r2;
	add.s32 	%r8, %r24, %r1;
	shl.b32 	%r9, %r18, 4;
	add.s32 	%r10, %r2, %r29;
	mov.f32 	%f60, 0f00000000;
	mov.u32 	%r11, 0;
	setp.lt.s32 	%p2, %r18, 1;
	bra.uni 	LBB0_4;
LBB0_7:
	add.s32 	%r11, %r11, 1;
	setp.eq.s32 	%p4, %r11, %r19;
	@%p4 bra 	LBB0_2;
LBB0_4:
	@%p2 bra 	LBB0_7;
	mov.u32 	%r31, 0;
	mov.u32 	%r30, %r8;
LBB0_6:
	add.s32 	%r26, %r10, %r31;
	mul.wide.s32 	%rd16, %r26, 4;
	add.s64 	%rd17, %rd3, %rd16;
	ld.global.f32 	%f8, [%rd17];
	st.shared.f32 	[%rd4], %f8;
	mul.wide.s32 	%rd18, %r30, 4;
	add.s64 	%rd19, %rd2, %rd18;
	ld.global.f32 	%f9, [%rd19];
	st.shared.f32 	[%rd5], %f9;
	bar.sync 	0;
	ld.shared.f32 	%f10, [%rd6];
	ld.shared.f32 	%f11, [%rd7];
	fma.rn.f32 	%f12, %f10, %f11, %f60;
	ld.shared.f32 	%f13, [%rd6+4];
	ld.shared.f32 	%f14, [%rd7+64];
	fma.rn.f32 	%f15, %f13, %f14, %f12;
	ld.shared.f32 	%f16, [%rd6+8];
	ld.shared.f32 	%f17, [%rd7+128];
	fma.rn.f32 	%f18, %f16, %f17, %f15;
	ld.shared.f32 	%f19, [%rd6+12];
	ld.shared.f32 	%f20, [%rd7+192];
	fma.rn.f32 	%f21, %f19, %f20, %f18;
	ld.shared.f32 	%f22, [%rd6+16];
	ld.shared.f32 	%f23, [%rd7+256];
	fma.rn.f32 	%f24, %f22, %f23, %f21;
	ld.shared.f32 	%f25, [%rd6+20];
	ld.shared.f32 	%f26, [%rd7+320];
	fma.rn.f32 	%f27, %f25, %f26, %f24;
	ld.shared.f32 	%f28, [%rd6+24];
	ld.shared.f32 	%f29, [%rd7+384];
	fma.rn.f32 	%f30, %f28, %f29, %f27;
	ld.shared.f32 	%f31, [%rd6+28];
	ld.shared.f32 	%f32, [%rd7+448];
	fma.rn.f32 	%f33, %f31, %f32, %f30;
	ld.shared.f32 	%f34, [%rd6+32];
	ld.shared.f32 	%f35, [%rd7+512];
	fma.rn.f32 	%f36, %f34, %f35, %f33;
	ld.shared.f32 	%f37, [%rd6+36];
	ld.shared.f32 	%f38, [%rd7+576];
	fma.rn.f32 	%f39, %f37, %f38, %f36;
	ld.shared.f32 	%f40, [%rd6+40];
	ld.shared.f32 	%f41, [%rd7+640];
	fma.rn.f32 	%f42, %f40, %f41, %f39;
	ld.shared.f32 	%f43, [%rd6+44];
	ld.shared.f32 	%f44, [%rd7+704];
	fma.rn.f32 	%f45, %f43, %f44, %f42;
	ld.shared.f32 	%f46, [%rd6+48];
	ld.shared.f32 	%f47, [%rd7+768];
	fma.rn.f32 	%f48, %f46, %f47, %f45;
	ld.shared.f32 	%f49, [%rd6+52];
	ld.shared.f32 	%f50, [%rd7+832];
	fma.rn.f32 	%f51, %f49, %f50, %f48;
	ld.shared.f32 	%f52, [%rd6+56];
	ld.shared.f32 	%f53, [%rd7+896];
	fma.rn.f32 	%f54, %f52, %f53, %f51;
	ld.shared.f32 	%f55, [%rd6+60];
	ld.shared.f32 	%f56, [%rd7+960];
	fma.rn.f32 	%f60, %f55, %f56, %f54;
	bar.sync 	0;
	add.s32 	%r31, %r31, 16;
	add.s32 	%r30, %r30, %r9;
	setp.lt.s32 	%p3, %r31, %r18;
	@%p3 bra 	LBB0_6;
	bra.uni 	LBB0_7;
LBB0_1:
	mul.lo.s32 	%r29, %r5, %r18;
	mov.f32 	%f60, 0f00000000;
LBB0_2:
	add.s32 	%r27, %r29, %r3;
	mul.wide.s32 	%rd20, %r27, 4;
	add.s64 	%rd21, %rd1, %rd20;
	st.global.f32 	[%rd21], %f60;
	ret;
}
)ptx";

}  // namespace takt
