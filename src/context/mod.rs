//! Pure: what the model is shown, counted and rendered.
