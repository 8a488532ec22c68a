//! Memory that is accessed at random: large pages and prefetching.
//!
//! With pages of 4 KB most accesses to a table of megabytes miss the translation lookaside buffer
//! (TLB). On advice, Linux gives pages of 2 MB to memory that is aligned to them.
//!
//! `unsafe` is used to prefetch, to advise the system, and to zero a value in place.

#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::ops::{Deref, DerefMut};

/// The size of a large page.
#[cfg(target_os = "linux")]
const LARGE_PAGE: usize = 1 << 21;

/// A type for which zero bytes are a valid value.
///
/// # Safety
/// Zero bytes must be a valid value of the type.
#[allow(dead_code, reason = "a marker: only methods count as used")]
pub(crate) unsafe trait Zeroable {}

// SAFETY: zero bytes are the number 0.
unsafe impl Zeroable for i16 {}
// SAFETY: zero bytes are valid for each element, and there is nothing between elements.
unsafe impl<T: Zeroable, const N: usize> Zeroable for [T; N] {}

/// A value on the heap, on large pages if the system has them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LargePages<T>(Box<Aligned<T>>);

#[derive(Debug, PartialEq, Eq)]
#[cfg_attr(target_os = "linux", repr(align(0x20_0000)))]
#[cfg_attr(not(target_os = "linux"), repr(align(64)))]
struct Aligned<T>(T);

impl<T: Zeroable> LargePages<T> {
    /// A value of zero bytes. It is never on the stack, for which it may be too large.
    pub(crate) fn zeroed() -> LargePages<T> {
        let mut value = Box::<Aligned<T>>::new_uninit();
        advise_large_pages(std::slice::from_mut(&mut *value));
        // SAFETY: 1. `as_mut_ptr` is valid for writes of `size_of::<Aligned<T>>()` bytes, which is
        // what `write_bytes(0, 1)` writes. 2. Zero bytes are a valid `T` by the trait, and the rest
        // of `Aligned<T>` is padding; so the box is initialised.
        let value = unsafe {
            value.as_mut_ptr().write_bytes(0, 1);
            value.assume_init()
        };
        LargePages(value)
    }
}

impl<T> Deref for LargePages<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0.0
    }
}

impl<T> DerefMut for LargePages<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0.0
    }
}

/// Prefetches the cache line in which a value begins.
#[inline(always)]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let value: *const T = value;
        // SAFETY: the address belongs to a value, and prefetching does not change memory.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(value.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// Advises the system to use large pages for this memory. Miri does not know the call.
pub(crate) fn advise_large_pages<T>(memory: &mut [MaybeUninit<T>]) {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        use std::ffi::{c_int, c_void};
        const MADV_HUGEPAGE: c_int = 14;
        unsafe extern "C" {
            fn madvise(address: *mut c_void, length: usize, advice: c_int) -> c_int;
        }
        let range = memory.as_mut_ptr_range();
        let start = range.start.addr().next_multiple_of(LARGE_PAGE);
        let length = range.end.addr().saturating_sub(start) / LARGE_PAGE * LARGE_PAGE;
        if length > 0 {
            let first = range.start.with_addr(start).cast();
            // SAFETY: the C library's `madvise`, with arguments of its types; the whole pages lie
            // within `memory`, and the advice does not change their content.
            unsafe { madvise(first, length, MADV_HUGEPAGE) };
        }
    }
    #[cfg(any(not(target_os = "linux"), miri))]
    let _ = memory;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_zero_and_keeps_what_is_written() {
        let mut rows = LargePages::<[[i16; 768]; 9]>::zeroed();
        assert!(rows.as_flattened().iter().all(|value| *value == 0));
        (rows[0][0], rows[8][767]) = (5, -7);
        prefetch(&rows[8][767]);
        assert_eq!((rows[0][0], rows[8][767]), (5, -7));
        let others = rows.as_flattened().iter().filter(|value| **value != 0);
        assert_eq!(others.count(), 2);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_value_begins_at_a_large_page() {
        let rows = LargePages::<[i16; 16]>::zeroed();
        assert!(rows.as_ptr().addr().is_multiple_of(LARGE_PAGE));
    }
}
