// The matrix product that loads a GPU, as text that any driver compiles for its GPU (PTX for compute capability 5.0 and
// later), so that building takt takes no CUDA toolkit.
#pragma once

namespace takt {

/// The kernel takt_matrix_product(const float* a, const float* b, float* c, int n, int repeats): c becomes `repeats`
/// times the product of the n x n matrices a and b. n is a multiple of 16; blocks of 16 x 16 threads, n/16 x n/16 of
/// them.
extern const char* const matrix_product_ptx;

}  // namespace takt
