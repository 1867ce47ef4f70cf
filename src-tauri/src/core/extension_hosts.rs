use std::path::PathBuf;

use countersign_bridge::hosts::{self, EXTENSION_ID, HostPlaces, HostsError};
use countersign_contract::{Code, ErrorView, ExtensionHost, WriteExtensionHostParams};

use super::Core;
use super::client_setups::lasting_program;

impl Core {
    /// The browsers that the extension can run in, and what would be written so that each can start Countersign's program.
    ///
    /// # Errors
    /// When there is nothing that could be started, no home folder, or the system keeps such things elsewhere.
    pub async fn extension_hosts(&self) -> Result<Vec<ExtensionHost>, ErrorView> {
        on_disk(|places, program| Ok(hosts::hosts(places, EXTENSION_ID, program))).await
    }

    /// Writes or removes what was shown. Returns the browsers as they are then.
    ///
    /// # Errors
    /// As [`hosts::write_host`].
    pub async fn write_extension_host(
        &self,
        params: WriteExtensionHostParams,
    ) -> Result<Vec<ExtensionHost>, ErrorView> {
        on_disk(move |places, program| {
            hosts::write_host(places, EXTENSION_ID, program, &params)?;
            Ok(hosts::hosts(places, EXTENSION_ID, program))
        })
        .await
    }
}

/// Where the extension lies, for a browser to load it: among the installed app's own files, or where it was built.
///
/// # Errors
/// When it is in neither place.
pub fn extension_folder(resources: Option<PathBuf>) -> Result<String, ErrorView> {
    let installed = resources.map(|folder| folder.join("extension"));
    let built = cfg!(debug_assertions)
        .then(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/bridge/page/extension/dist")));
    let mut folders = installed.into_iter().chain(built);
    let folder = folders.find(|folder| folder.join("manifest.json").is_file());
    folder.map(|folder| folder.display().to_string()).ok_or_else(|| {
        let message = "The extension is not among Countersign's files. Install Countersign anew, or run `npm run build:extension` where it is built.";
        ErrorView::new(Code::Settings, message)
    })
}

async fn on_disk<T: Send + 'static>(
    work: impl FnOnce(&HostPlaces, &str) -> Result<T, HostsError> + Send + 'static,
) -> Result<T, ErrorView> {
    let done = tokio::task::spawn_blocking(move || {
        let program = lasting_program("browser")?;
        let places = HostPlaces::of_this_account().map_err(view)?;
        work(&places, &program).map_err(view)
    });
    done.await
        .map_err(|error| ErrorView::new(Code::Internal, format!("The files could not be looked at: {error}")))?
}

fn view(error: HostsError) -> ErrorView {
    let code = match error {
        HostsError::Stale => Code::Stale,
        HostsError::Refused(_) | HostsError::Unsupported => Code::Settings,
    };
    ErrorView::new(code, error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_installed_extension_comes_first_and_only_if_it_is_whole() {
        let resources = tempfile::tempdir().expect("a folder");
        let folder = resources.path().join("extension");
        std::fs::create_dir(&folder).expect("a folder");
        let found = || extension_folder(Some(resources.path().into())).ok();
        assert_ne!(found(), Some(folder.display().to_string()));
        std::fs::write(folder.join("manifest.json"), "{}").expect("a file");
        assert_eq!(found(), Some(folder.display().to_string()));
    }

    #[test]
    fn a_change_since_it_was_shown_is_told_from_other_errors() {
        assert_eq!(view(HostsError::Stale).code, Code::Stale);
        assert_eq!(view(HostsError::Unsupported).code, Code::Settings);
    }
}
