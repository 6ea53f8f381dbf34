//! What the environment says.

use std::env::var;
use std::fs::{create_dir_all, read_to_string};
use std::path::PathBuf;

use crate::identity::Tokens;

#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) host: String,
    pub(crate) port: u16,
    /// The folder of the logs.
    pub(crate) folder: PathBuf,
    pub(crate) tokens: Tokens,
    /// Names of this server in requests, in lower case: others are refused, against DNS rebinding.
    pub(crate) hosts: Vec<String>,
    /// Origins of pages besides that of this server, in lower case.
    pub(crate) origins: Vec<String>,
}

impl Settings {
    pub(crate) fn from_environment() -> Result<Self, String> {
        let list = |name| -> Vec<String> {
            let text = var(name).unwrap_or_default().to_lowercase();
            text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
        };
        let port = var("PORT").unwrap_or_else(|_| "8080".into());
        let file = var("TOKENS").map_err(|_| "TOKENS: name a file of tokens, as the README shows")?;
        let text = read_to_string(&file).map_err(|error| format!("TOKENS: {file} cannot be read: {error}"))?;
        let folder = PathBuf::from(var("DATA_DIR").unwrap_or_else(|_| "data".into()));
        create_dir_all(&folder).map_err(|error| format!("DATA_DIR: {} cannot be made: {error}", folder.display()))?;
        Ok(Self {
            host: var("HOST").unwrap_or_else(|_| "127.0.0.1".into()),
            port: port.parse().map_err(|_| format!("PORT: {port} is no port"))?,
            folder,
            tokens: Tokens::read(&text).map_err(|problem| format!("TOKENS: {file}: {problem}"))?,
            hosts: list("HOSTS"),
            origins: list("ORIGINS"),
        })
    }
}
