//! A backend for ratatui that draws into memory: a frame is written at once, or never if drawing it panics.
//!
//! Its size is set by the loop, and it knows where it put the cursor, so drawing asks neither the system nor the
//! terminal anything.

use ratatui::backend::{Backend, ClearType, CrosstermBackend, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};
use std::cell::RefCell;
use std::io;
use std::rc::Rc;

/// Bytes on their way, shared between the backend and the loop.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ink(Rc<RefCell<Vec<u8>>>);

impl Ink {
    /// Takes what was drawn.
    pub(crate) fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.borrow_mut())
    }
}

impl io::Write for Ink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The backend.
#[derive(Debug)]
pub(crate) struct Screen {
    ink: CrosstermBackend<Ink>,
    size: Size,
    cursor: Position,
}

impl Screen {
    /// A screen of so many cells that draws into `ink`.
    pub(crate) fn new(ink: Ink, (width, height): (u16, u16)) -> Self {
        Self { ink: CrosstermBackend::new(ink), size: Size { width, height }, cursor: Position::ORIGIN }
    }

    /// The terminal has another size now.
    pub(crate) fn set_size(&mut self, (width, height): (u16, u16)) {
        self.size = Size { width, height };
    }
}

impl Backend for Screen {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        self.ink.draw(content)
    }

    fn append_lines(&mut self, n: u16) -> io::Result<()> {
        self.ink.append_lines(n)
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.ink.hide_cursor()
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.ink.show_cursor()
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        Ok(self.cursor)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.cursor = position.into();
        self.ink.set_cursor_position(self.cursor)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.ink.clear()
    }

    fn clear_region(&mut self, region: ClearType) -> io::Result<()> {
        self.ink.clear_region(region)
    }

    fn size(&self) -> io::Result<Size> {
        Ok(self.size)
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        Ok(WindowSize { columns_rows: self.size, pixels: Size::ZERO })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
