use countersign_contract::{ClientSetup, Code, ErrorView, WriteClientSetupParams};

use super::Core;
use super::clients::program;
use super::setup::{self, Places};

impl Core {
    /// The usual MCP clients, and what would be written to set each up or to undo that.
    ///
    /// # Errors
    /// When there is nothing that could be started for a client, or no home folder.
    pub async fn client_setups(&self) -> Result<Vec<ClientSetup>, ErrorView> {
        on_disk(|places, program| Ok(setup::client_setups(places, program))).await
    }

    /// Writes what was shown into a client's file. Returns the clients as they are then.
    ///
    /// # Errors
    /// As [`setup::write_client_setup`].
    pub async fn write_client_setup(&self, params: WriteClientSetupParams) -> Result<Vec<ClientSetup>, ErrorView> {
        on_disk(move |places, program| {
            setup::write_client_setup(places, program, &params)?;
            Ok(setup::client_setups(places, program))
        })
        .await
    }
}

async fn on_disk<T: Send + 'static>(
    work: impl FnOnce(&Places, &str) -> Result<T, ErrorView> + Send + 'static,
) -> Result<T, ErrorView> {
    let done = tokio::task::spawn_blocking(move || {
        let places = Places::of_this_account().ok_or_else(|| refused("Your home folder is not known."))?;
        work(&places, &lasting_program("client")?)
    });
    done.await
        .map_err(|error| ErrorView::new(Code::Internal, format!("The files could not be looked at: {error}")))?
}

/// The bridge, if whoever is told of it today can still start it tomorrow.
pub(super) fn lasting_program(starter: &str) -> Result<String, ErrorView> {
    let program = program().ok_or_else(|| {
        refused(&format!(
            "The program countersign-bridge is not beside Countersign, so no {starter} could start it. Install Countersign anew."
        ))
    })?;
    if !lasts(&program) {
        return Err(refused(&format!(
            "Countersign runs from a place that is gone when it ends, so no {starter} could start it from there. Install it first."
        )));
    }
    Ok(program)
}

fn refused(message: &str) -> ErrorView {
    ErrorView::new(Code::Settings, message)
}

/// An app image is mounted for as long as it runs, and macOS moves an app that was not installed to a place made up for one run.
fn lasts(program: &str) -> bool {
    !program.contains("/.mount_") && !program.contains("/AppTranslocation/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_client_is_given_a_program_that_is_gone_tomorrow() {
        assert!(lasts("/usr/bin/countersign-bridge"));
        assert!(!lasts("/tmp/.mount_CounteX1y2z3/usr/bin/countersign-bridge"));
        assert!(!lasts(
            "/private/var/folders/ab/T/AppTranslocation/1234/d/Countersign.app/Contents/MacOS/countersign-bridge"
        ));
    }
}
