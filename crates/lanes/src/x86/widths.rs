//! One name for the intrinsics of each width, so that one text serves registers of 128, 256 and 512 bits.

/// Declares a module of x86 intrinsics of one register width, under names without the width.
macro_rules! width {
    ($(#[$text:meta])* $name:ident, $floats:ident, $words:ident, { $($intrinsic:ident $plain:ident)* }) => {
        $(#[$text])*
        pub(super) mod $name {
            pub(crate) use std::arch::x86_64::{$floats as Floats, $words as Words, $($intrinsic as $plain),*};
        }
    };
}

width!(
    /// Intrinsics of 128-bit registers: four lanes.
    w128, __m128, __m128i, {
        _mm_set1_ps set1_ps
        _mm_loadu_ps loadu_ps
        _mm_storeu_ps storeu_ps
        _mm_add_ps add_ps
        _mm_sub_ps sub_ps
        _mm_mul_ps mul_ps
        _mm_div_ps div_ps
        _mm_fmadd_ps fmadd_ps
        _mm_fmsub_ps fmsub_ps
        _mm_fnmadd_ps fnmadd_ps
        _mm_sqrt_ps sqrt_ps
        _mm_min_ps min_ps
        _mm_max_ps max_ps
        _mm_castps_si128 castps_si
        _mm_castsi128_ps castsi_ps
        _mm_cvtepi32_ps cvtepi32_ps
        _mm_cvttps_epi32 cvttps_epi32
        _mm_set1_epi32 set1_epi32
        _mm_add_epi32 add_epi32
        _mm_sub_epi32 sub_epi32
        _mm_mullo_epi32 mullo_epi32
        _mm_and_si128 and_si
        _mm_or_si128 or_si
        _mm_xor_si128 xor_si
        _mm_sll_epi32 sll_epi32
        _mm_srl_epi32 srl_epi32
        _mm_sllv_epi32 sllv_epi32
        _mm_srlv_epi32 srlv_epi32
        _mm_shuffle_epi8 shuffle_epi8
        _mm_min_epu32 min_epu32
        _mm_max_epu32 max_epu32
        _mm_unpacklo_epi32 unpacklo_epi32
        _mm_unpackhi_epi32 unpackhi_epi32
        _mm_unpacklo_epi64 unpacklo_epi64
        _mm_unpackhi_epi64 unpackhi_epi64
    }
);

width!(
    /// Intrinsics of 256-bit registers: eight lanes.
    w256, __m256, __m256i, {
        _mm256_set1_ps set1_ps
        _mm256_loadu_ps loadu_ps
        _mm256_storeu_ps storeu_ps
        _mm256_add_ps add_ps
        _mm256_sub_ps sub_ps
        _mm256_mul_ps mul_ps
        _mm256_div_ps div_ps
        _mm256_fmadd_ps fmadd_ps
        _mm256_fmsub_ps fmsub_ps
        _mm256_fnmadd_ps fnmadd_ps
        _mm256_sqrt_ps sqrt_ps
        _mm256_min_ps min_ps
        _mm256_max_ps max_ps
        _mm256_castps_si256 castps_si
        _mm256_castsi256_ps castsi_ps
        _mm256_cvtepi32_ps cvtepi32_ps
        _mm256_cvttps_epi32 cvttps_epi32
        _mm256_set1_epi32 set1_epi32
        _mm256_add_epi32 add_epi32
        _mm256_sub_epi32 sub_epi32
        _mm256_mullo_epi32 mullo_epi32
        _mm256_and_si256 and_si
        _mm256_or_si256 or_si
        _mm256_xor_si256 xor_si
        _mm256_sll_epi32 sll_epi32
        _mm256_srl_epi32 srl_epi32
        _mm256_sllv_epi32 sllv_epi32
        _mm256_srlv_epi32 srlv_epi32
        _mm256_shuffle_epi8 shuffle_epi8
        _mm256_min_epu32 min_epu32
        _mm256_max_epu32 max_epu32
        _mm256_unpacklo_epi32 unpacklo_epi32
        _mm256_unpackhi_epi32 unpackhi_epi32
        _mm256_unpacklo_epi64 unpacklo_epi64
        _mm256_unpackhi_epi64 unpackhi_epi64
    }
);

width!(
    /// Intrinsics of 512-bit registers: sixteen lanes.
    w512, __m512, __m512i, {
        _mm512_set1_ps set1_ps
        _mm512_loadu_ps loadu_ps
        _mm512_storeu_ps storeu_ps
        _mm512_add_ps add_ps
        _mm512_sub_ps sub_ps
        _mm512_mul_ps mul_ps
        _mm512_div_ps div_ps
        _mm512_fmadd_ps fmadd_ps
        _mm512_fmsub_ps fmsub_ps
        _mm512_fnmadd_ps fnmadd_ps
        _mm512_sqrt_ps sqrt_ps
        _mm512_min_ps min_ps
        _mm512_max_ps max_ps
        _mm512_castps_si512 castps_si
        _mm512_castsi512_ps castsi_ps
        _mm512_cvtepi32_ps cvtepi32_ps
        _mm512_cvttps_epi32 cvttps_epi32
        _mm512_set1_epi32 set1_epi32
        _mm512_add_epi32 add_epi32
        _mm512_sub_epi32 sub_epi32
        _mm512_mullo_epi32 mullo_epi32
        _mm512_and_si512 and_si
        _mm512_or_si512 or_si
        _mm512_xor_si512 xor_si
        _mm512_sll_epi32 sll_epi32
        _mm512_srl_epi32 srl_epi32
        _mm512_sllv_epi32 sllv_epi32
        _mm512_srlv_epi32 srlv_epi32
        _mm512_shuffle_epi8 shuffle_epi8
        _mm512_min_epu32 min_epu32
        _mm512_max_epu32 max_epu32
        _mm512_unpacklo_epi32 unpacklo_epi32
        _mm512_unpackhi_epi32 unpackhi_epi32
        _mm512_unpacklo_epi64 unpacklo_epi64
        _mm512_unpackhi_epi64 unpackhi_epi64
    }
);
