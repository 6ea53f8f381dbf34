//! Counts the steps of algorithms that must be linear, so that tests do not measure time, which depends on the machine.
//! Builds without debug assertions count nothing.

#[cfg(debug_assertions)]
std::thread_local! {
    static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Adds `count` visited bytes or items.
pub(crate) fn count_work(count: usize) {
    #[cfg(debug_assertions)]
    STEPS.set(STEPS.get() + count);
    #[cfg(not(debug_assertions))]
    let _ = count;
}

/// The bytes or items visited in this thread; 0 without debug assertions.
pub fn steps() -> usize {
    #[cfg(debug_assertions)]
    return STEPS.get();
    #[cfg(not(debug_assertions))]
    return 0;
}
