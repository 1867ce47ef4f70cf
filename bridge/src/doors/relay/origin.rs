use axum::http::Uri;

use super::RelayError;

const SCHEMES: [(&str, &str); 3] = [("https", ":443"), ("http", ":80"), ("chrome-extension", "")];

/// An origin as a browser writes it in the `Origin` header: scheme, host and port, nothing after. It is compared by its text, so
/// what a browser would write in another way is refused rather than never matched.
pub(in crate::doors) fn bare(text: &str) -> Result<String, RelayError> {
    let parts = || {
        let (scheme, host) = text.split_once("://")?;
        let (_, usual_port) = SCHEMES.iter().find(|(known, _)| *known == scheme)?;
        let is_bare = !host.is_empty() && !host.contains(['/', '?', '#', '@', '\\', ' ', '*']);
        let is_written_so = text.is_ascii() && *text == text.to_ascii_lowercase();
        let names_usual_port = !usual_port.is_empty() && host.ends_with(usual_port);
        // The name of an extension is no host that a parser would have to know.
        let is_host = scheme == "chrome-extension" || text.parse::<Uri>().is_ok_and(|uri| uri.host().is_some());
        (is_bare && is_written_so && !names_usual_port && is_host).then_some(())
    };
    parts()
        .map(|()| text.to_owned())
        .ok_or_else(|| RelayError::Origin(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_taken_as_a_browser_writes_it() {
        for origin in [
            "https://room.example",
            "https://room.example:8443",
            "http://localhost:5177",
            "http://127.0.0.1:8080",
            "chrome-extension://abcdefghijklmnopabcdefghijklmnop",
        ] {
            assert_eq!(bare(origin).unwrap(), origin);
        }
    }

    #[test]
    fn what_is_more_or_less_than_an_origin_is_refused() {
        for text in [
            "",
            "room.example",
            "https://",
            "https://room.example/",
            "https://room.example/room",
            "https://room.example?x",
            "https://room.example#x",
            "https://me@room.example",
            "https://Room.example",
            "https://room.example:443",
            "http://room.example:80",
            "https://*.example",
            "https://röom.example",
            "file://room",
            "null",
        ] {
            assert!(matches!(bare(text), Err(RelayError::Origin(_))), "{text}");
        }
    }
}
