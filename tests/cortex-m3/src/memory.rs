//! The heap, counted, and where the linker put everything.
use core::{
    alloc::{GlobalAlloc, Layout},
    sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
};

use cortex_m_rt::STACK_PAINT_VALUE;
use embedded_alloc::LlffHeap;

/// Bytes of the heap.
pub const HEAP_BYTES: usize = 48 << 10;

struct Heap {
    blocks: LlffHeap,
    peak: AtomicUsize,
    failed: AtomicBool,
}

// SAFETY: blocks are given out and taken back by `LlffHeap` alone.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        let block = unsafe { self.blocks.alloc(layout) };
        self.peak.fetch_max(self.blocks.used(), Relaxed);
        self.failed.fetch_or(block.is_null(), Relaxed);
        block
    }
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { self.blocks.dealloc(block, layout) };
    }
}

#[global_allocator]
static HEAP: Heap =
    Heap { blocks: LlffHeap::empty(), peak: AtomicUsize::new(0), failed: AtomicBool::new(false) };

/// Gives the heap its memory, once.
pub fn start_heap() {
    let blocks = &HEAP.blocks;
    // SAFETY: called once, by `main`, before the first allocation.
    unsafe {
        embedded_alloc::init!(blocks, HEAP_BYTES);
    }
}

/// Bytes of the heap that are free now.
pub fn heap_free() -> usize {
    HEAP.blocks.free()
}

/// The most bytes of the heap that were in use at once.
pub fn heap_peak() -> usize {
    HEAP.peak.load(Relaxed)
}

/// Whether an allocation failed.
pub fn heap_failed() -> bool {
    HEAP.failed.load(Relaxed)
}

/// Bytes that the image takes.
pub struct Image {
    /// Instructions.
    pub text: usize,
    /// Constants.
    pub constants: usize,
    /// Statics, the heap not counted.
    pub statics: usize,
    /// What is left for the stack.
    pub stack: usize,
    /// The deepest that the stack was; all of `stack` if it ran over.
    pub stack_peak: usize,
}

impl Image {
    /// As the linker laid it out, and as the stack was used until now.
    pub fn of_this_program() -> Self {
        unsafe extern "C" {
            static __stext: u32;
            static __etext: u32;
            static __srodata: u32;
            static __erodata: u32;
            static __sdata: u32;
            static __edata: u32;
            static __sbss: u32;
            static __ebss: u32;
            static _stack_end: u32;
            static _stack_start: u32;
        }
        let between = |start: *const u32, end: *const u32| end as usize - start as usize;
        let (lowest, highest) = (&raw const _stack_end, &raw const _stack_start);
        let mut deepest = lowest;
        // SAFETY: the words between the two ends of the stack are memory, and only read.
        while deepest < highest && unsafe { deepest.read_volatile() } == STACK_PAINT_VALUE {
            deepest = deepest.wrapping_add(1);
        }
        Self {
            text: between(&raw const __stext, &raw const __etext),
            constants: between(&raw const __srodata, &raw const __erodata),
            statics: between(&raw const __sdata, &raw const __edata)
                + between(&raw const __sbss, &raw const __ebss)
                - HEAP_BYTES,
            stack: between(lowest, highest),
            stack_peak: between(deepest, highest),
        }
    }
}
