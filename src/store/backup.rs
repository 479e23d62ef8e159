//! Copies of the whole database while it is in use.

use super::error::StoreError;
use super::migrate;
use super::open::Store;
use std::path::Path;

impl Store {
    /// Copies the database as it stands at one moment into a new file of mode 0600, while others go on working.
    ///
    /// # Errors
    /// [`StoreError::Io`] if the file is there already or cannot be written; what SQLite says.
    pub async fn backup(&self, file: &Path) -> Result<(), StoreError> {
        let file = file.to_path_buf();
        if file.exists() {
            let why = "it exists; a backup never overwrites".to_owned();
            return Err(StoreError::Io { path: file, why });
        }
        self.read(move |conn| migrate::copy(conn, &file)).await
    }
}
