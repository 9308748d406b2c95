//! Vectors of x86: four floats in an SSE register, eight in an AVX register.
//!
//! SAFETY of every block here: the types are used only by kernels that `dispatch` enters after it
//! saw the instructions on this CPU; loads and stores go through references to whole arrays.

use super::vector::Vector;
use std::arch::x86_64::*;

macro_rules! vector {
    ($name:ident, $register:ty, $n:literal, $set1:ident, $load:ident, $store:ident, $add:ident, $sub:ident,
     $mul:ident, $mul_add:ident, $mul_sub:ident, $neg_mul_add:ident, $div:ident, $min:ident, $max:ident, |$a:ident, $b:ident, $mask:ident| $le:expr, $eq:expr, $pick:expr) => {
        /// Floats of one register.
        #[derive(Clone, Copy)]
        pub(crate) struct $name(pub(crate) $register);

        impl Vector<$n> for $name {
            #[inline(always)]
            fn splat(x: f32) -> Self {
                // SAFETY: see the module's text.
                Self(unsafe { $set1(x) })
            }
            #[inline(always)]
            fn load(x: &[f32; $n]) -> Self {
                // SAFETY: see the module's text.
                Self(unsafe { $load(x.as_ptr()) })
            }
            #[inline(always)]
            fn store(self) -> [f32; $n] {
                let mut x = [0.0; $n];
                // SAFETY: see the module's text.
                unsafe { $store(x.as_mut_ptr(), self.0) };
                x
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                // SAFETY: see the module's text.
                Self(unsafe { $add(self.0, other.0) })
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                // SAFETY: see the module's text.
                Self(unsafe { $sub(self.0, other.0) })
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                // SAFETY: see the module's text.
                Self(unsafe { $mul(self.0, other.0) })
            }
            #[inline(always)]
            fn mul_add(self, b: Self, c: Self) -> Self {
                // SAFETY: see the module's text.
                Self(unsafe { $mul_add(self.0, b.0, c.0) })
            }
            #[inline(always)]
            fn mul_sub(self, b: Self, c: Self) -> Self {
                // SAFETY: see the module's text.
                Self(unsafe { $mul_sub(self.0, b.0, c.0) })
            }
            #[inline(always)]
            fn neg_mul_add(self, b: Self, c: Self) -> Self {
                // SAFETY: see the module's text.
                Self(unsafe { $neg_mul_add(self.0, b.0, c.0) })
            }
            #[inline(always)]
            fn div(self, other: Self) -> Self {
                // SAFETY: see the module's text.
                Self(unsafe { $div(self.0, other.0) })
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                // SAFETY: see the module's text.
                Self(unsafe { $min(self.0, other.0) })
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                // SAFETY: see the module's text.
                Self(unsafe { $max(self.0, other.0) })
            }
            #[inline(always)]
            fn le(self, other: Self) -> u32 {
                let ($a, $b) = (self.0, other.0);
                // SAFETY: see the module's text.
                unsafe { $le }
            }
            #[inline(always)]
            fn eq(self, other: Self) -> u32 {
                let ($a, $b) = (self.0, other.0);
                // SAFETY: see the module's text.
                unsafe { $eq }
            }
            #[inline(always)]
            fn pick(self, mask: u32, other: Self) -> Self {
                let ($a, $b, $mask) = (self.0, other.0, mask);
                // SAFETY: see the module's text.
                Self(unsafe { $pick })
            }
        }
    };
}

vector!(
    Sse4,
    __m128,
    4,
    _mm_set1_ps,
    _mm_loadu_ps,
    _mm_storeu_ps,
    _mm_add_ps,
    _mm_sub_ps,
    _mm_mul_ps,
    _mm_fmadd_ps,
    _mm_fmsub_ps,
    _mm_fnmadd_ps,
    _mm_div_ps,
    _mm_min_ps,
    _mm_max_ps,
    |a, b, mask| _mm_movemask_ps(_mm_cmple_ps(a, b)) as u32,
    _mm_movemask_ps(_mm_cmpeq_ps(a, b)) as u32,
    {
        let bits = _mm_setr_epi32(1, 2, 4, 8);
        let lanes = _mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32(mask as i32), bits), bits);
        _mm_blendv_ps(b, a, _mm_castsi128_ps(lanes))
    }
);
vector!(
    Avx8,
    __m256,
    8,
    _mm256_set1_ps,
    _mm256_loadu_ps,
    _mm256_storeu_ps,
    _mm256_add_ps,
    _mm256_sub_ps,
    _mm256_mul_ps,
    _mm256_fmadd_ps,
    _mm256_fmsub_ps,
    _mm256_fnmadd_ps,
    _mm256_div_ps,
    _mm256_min_ps,
    _mm256_max_ps,
    |a, b, mask| _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(a, b)) as u32,
    _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_EQ_OQ>(a, b)) as u32,
    {
        let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        let lanes = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(mask as i32), bits), bits);
        _mm256_blendv_ps(b, a, _mm256_castsi256_ps(lanes))
    }
);
vector!(
    Masked4,
    __m128,
    4,
    _mm_set1_ps,
    _mm_loadu_ps,
    _mm_storeu_ps,
    _mm_add_ps,
    _mm_sub_ps,
    _mm_mul_ps,
    _mm_fmadd_ps,
    _mm_fmsub_ps,
    _mm_fnmadd_ps,
    _mm_div_ps,
    _mm_min_ps,
    _mm_max_ps,
    |a, b, mask| u32::from(_mm_cmp_ps_mask::<_CMP_LE_OQ>(a, b)),
    u32::from(_mm_cmp_ps_mask::<_CMP_EQ_OQ>(a, b)),
    _mm_mask_blend_ps(mask as u8, b, a)
);
vector!(
    Masked8,
    __m256,
    8,
    _mm256_set1_ps,
    _mm256_loadu_ps,
    _mm256_storeu_ps,
    _mm256_add_ps,
    _mm256_sub_ps,
    _mm256_mul_ps,
    _mm256_fmadd_ps,
    _mm256_fmsub_ps,
    _mm256_fnmadd_ps,
    _mm256_div_ps,
    _mm256_min_ps,
    _mm256_max_ps,
    |a, b, mask| u32::from(_mm256_cmp_ps_mask::<_CMP_LE_OQ>(a, b)),
    u32::from(_mm256_cmp_ps_mask::<_CMP_EQ_OQ>(a, b)),
    _mm256_mask_blend_ps(mask as u8, b, a)
);
