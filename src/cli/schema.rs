//! `chuhe schema`: the JSON Schema of config files. Start at [`execute`].

use super::Exit;
use crate::config;

pub fn execute() -> Exit {
    match serde_json::to_string_pretty(&config::schema()) {
        Ok(text) => {
            println!("{text}");
            Exit::Done
        }
        Err(error) => {
            eprintln!("error: {error}");
            Exit::Internal
        }
    }
}
