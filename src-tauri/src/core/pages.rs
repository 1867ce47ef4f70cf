use countersign_contract::{Code, DoorKind, ErrorView, ExampleName};

use super::{Core, descriptors};

impl Core {
    /// Opens an example in the browser; serves it first, on loopback.
    ///
    /// # Errors
    /// When it cannot be served, or the browser cannot be started.
    pub async fn open_example(&self, example: ExampleName) -> Result<(), ErrorView> {
        let served = self.inner.examples.url(example).await;
        let url = served
            .map_err(|error| ErrorView::new(Code::Internal, format!("The example could not be served: {error}")))?;
        // Its port is a new one each time, so its descriptors can be told only now.
        self.describe(descriptors::readable(&self.settings().descriptors));
        self.open_url(&url).await
    }

    /// Opens a page in the browser.
    ///
    /// # Errors
    /// When the address is not one of the web, or the browser cannot be started.
    pub async fn open_url(&self, url: &str) -> Result<(), ErrorView> {
        let url = address(url)?;
        self.desk()
            .open_page(DoorKind::Browser, &url)
            .await
            .map_err(|error| error.view())
    }

    /// Fails everything held in the browser, then closes it.
    ///
    /// # Errors
    /// When there is no browser door.
    pub async fn close_browser(&self) -> Result<(), ErrorView> {
        self.desk()
            .close_door(DoorKind::Browser)
            .await
            .map_err(|error| error.view())
    }
}

/// An address as a person types it: `shop.example` means https, an address of this machine means http.
fn address(typed: &str) -> Result<String, ErrorView> {
    let typed = typed.trim();
    let refused = |why: &str| Err(ErrorView::new(Code::BadArguments, format!("`{typed}` {why}")));
    if typed.is_empty() || typed.contains(char::is_whitespace) {
        return refused("is not an address. Type one such as shop.example or http://localhost:8080.");
    }
    if typed.starts_with("http://") || typed.starts_with("https://") {
        return Ok(typed.to_owned());
    }
    if typed.contains("://")
        || typed.starts_with("javascript:")
        || typed.starts_with("data:")
        || typed.starts_with("file:")
    {
        return refused("is not a web page. Only http and https pages can be opened.");
    }
    let local = ["localhost", "127.0.0.1", "[::1]"]
        .iter()
        .any(|host| typed.starts_with(host));
    Ok(format!("{}://{typed}", if local { "http" } else { "https" }))
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn an_address_is_completed_and_never_becomes_a_script() {
        assert_eq!(address(" shop.example/a "), Ok("https://shop.example/a".into()));
        assert_eq!(address("localhost:8080"), Ok("http://localhost:8080".into()));
        assert_eq!(address("http://a.example"), Ok("http://a.example".into()));
        for refused in [
            "",
            "two words",
            "javascript:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "chrome://settings",
        ] {
            assert!(address(refused).is_err(), "{refused} was let through");
        }
    }
}
