//! `npm run gen`: writes the TypeScript of the contract. Takes the repository's folder, or uses the current one.

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let root = std::env::args_os()
        .nth(1)
        .map_or_else(|| PathBuf::from("."), PathBuf::from);
    match countersign_contract::export_types(&root) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the types could not be exported to {}: {error}", root.display());
            ExitCode::FAILURE
        }
    }
}
