//! Counts the steps of what must not take longer than its input is long, so that tests need no clock: a machine may be busy
//! with something else. Builds without debug assertions count nothing.

#[cfg(debug_assertions)]
std::thread_local! {
    static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// So many more bytes or items were looked at.
pub(crate) fn looked_at(count: usize) {
    #[cfg(debug_assertions)]
    STEPS.set(STEPS.get() + count);
    #[cfg(not(debug_assertions))]
    let _ = count;
}

/// How many bytes or items were looked at in this thread, without debug assertions none.
pub fn steps() -> usize {
    #[cfg(debug_assertions)]
    return STEPS.get();
    #[cfg(not(debug_assertions))]
    return 0;
}
