//! The functions that JavaScript calls, and the one that it provides.
//!
//! A text goes in by [`input`], which returns where JavaScript writes its UTF-8 bytes, and comes out by
//! `answer`, which is given where it stands. So no pointer is read here. `unsafe` occurs in the
//! declarations: of the names, and of the function of JavaScript.

#![allow(unsafe_code)]

use std::cell::RefCell;

// SAFETY: `web/assets/rules.js` provides the function. The pointer it is given is of a text that lives
// during the call; it keeps none and writes nothing.
#[link(wasm_import_module = "rules")]
unsafe extern "C" {
    /// Takes the UTF-8 answer to a request.
    safe fn answer(text: *const u8, length: usize);
}

thread_local! {
    /// The text of the next call.
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Makes room for a text of this length, and returns where it is to be written.
// SAFETY: no other function of the module has this name.
#[unsafe(no_mangle)]
extern "C" fn input(length: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        input.clear();
        input.resize(length, 0);
        input.as_mut_ptr()
    })
}

/// Answers the input: a game, as [`crate::position`] takes it.
// SAFETY: no other function of the module has this name.
#[unsafe(no_mangle)]
extern "C" fn position() {
    let text = crate::position(&String::from_utf8_lossy(&INPUT.take()));
    answer(text.as_ptr(), text.len());
}
