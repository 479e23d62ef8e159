//! What a person is writing and has not sent yet, by the place where it is written. No part of any run.

use super::error::StoreError;
use super::open::Store;
use super::types::Durability;
use crate::run::Millis;
use rusqlite::params;
use std::collections::BTreeMap;

impl Store {
    /// All drafts, by their places.
    ///
    /// # Errors
    /// What SQLite says.
    pub async fn drafts(&self) -> Result<BTreeMap<String, String>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached("SELECT place, text FROM drafts")?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Keeps these drafts; a place without a text has none any more. They survive the end of the process, not every power
    /// cut.
    ///
    /// # Errors
    /// [`StoreError::Full`], [`StoreError::Busy`], or what SQLite says.
    pub async fn keep_drafts(
        &self,
        drafts: Vec<(String, Option<String>)>,
        now: Millis,
    ) -> Result<(), StoreError> {
        self.write(move |writer| {
            writer.transaction(Durability::Unsynced, |conn, _| {
                for (place, text) in &drafts {
                    match text {
                        Some(text) => conn.execute(
                            "INSERT INTO drafts (place, at, text) VALUES (?1, ?2, ?3)
                             ON CONFLICT (place) DO UPDATE SET at = excluded.at, text = excluded.text",
                            params![place, now, text],
                        )?,
                        None => conn.execute("DELETE FROM drafts WHERE place = ?1", [place])?,
                    };
                }
                Ok(())
            })
        })
        .await
    }
}
