//! What the browser is told through its profile, because no argument says it.

use std::io;
use std::path::Path;

use serde_json::{Value, json};

/// "Never": nothing is fetched, rendered or connected to before somebody goes there. Such requests do not pass the network hold.
const NO_PREDICTION: i64 = 2;

/// Writes what must be so into the profile, and leaves the rest of it as it is.
pub(super) fn prepare(profile: &Path) -> io::Result<()> {
    let path = profile.join("Default").join("Preferences");
    let written = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error),
    };
    // What is no JSON object the browser would throw away as well.
    let mut preferences = serde_json::from_slice::<Value>(&written)
        .ok()
        .filter(Value::is_object)
        .unwrap_or_else(|| json!({}));
    let net = &mut preferences["net"];
    if !net.is_object() {
        *net = json!({});
    }
    if net["network_prediction_options"] == NO_PREDICTION {
        return Ok(());
    }
    net["network_prediction_options"] = NO_PREDICTION.into();
    std::fs::create_dir_all(profile.join("Default"))?;
    std::fs::write(path, preferences.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_keeps_what_it_has_and_predicts_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("Default").join("Preferences");
        let read = || serde_json::from_slice::<Value>(&std::fs::read(&path).unwrap()).unwrap();
        prepare(folder.path()).unwrap();
        assert_eq!(read(), json!({ "net": { "network_prediction_options": 2 } }));
        let own = json!({ "a": [1, 2.5, -13_000_000_000_000_000_i64], "net": { "network_prediction_options": 0, "b": true } });
        std::fs::write(&path, own.to_string()).unwrap();
        prepare(folder.path()).unwrap();
        let mut expected = own;
        expected["net"]["network_prediction_options"] = json!(2);
        assert_eq!(read(), expected);
        std::fs::write(&path, "{ torn").unwrap();
        prepare(folder.path()).unwrap();
        assert_eq!(read()["net"]["network_prediction_options"], 2);
    }
}
