use std::path::Path;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use thirtyfour::error::WebDriverResult;
use thirtyfour::{By, WebElement};

use crate::App;
use crate::display::{activate, photograph_window};
use crate::wait::{PATIENCE, until, until_done, until_within};

/// One window of the app, as a person sees it: text, buttons by their name, fields by their label.
pub struct Screen<'a> {
    app: &'a App,
    page: &'static str,
    title: &'static str,
}

impl<'a> Screen<'a> {
    pub(crate) const fn new(app: &'a App, page: &'static str, title: &'static str) -> Self {
        Self { app, page, title }
    }

    /// Presses the button with this name, once it can be pressed.
    ///
    /// # Panics
    /// When there is none in time.
    pub async fn press(&self, name: &str) {
        self.press_at(&button(name), &format!("the button `{name}`")).await;
    }

    /// Presses a button inside the part of the window that is named so for a screen reader.
    ///
    /// # Panics
    /// When there is none in time.
    pub async fn press_in(&self, part: &str, name: &str) {
        let path = format!("(//*[@aria-label={}])[last()]{}", quoted(part), button(name));
        self.press_at(&path, &format!("the button `{name}` in `{part}`")).await;
    }

    /// Presses the first thing at an XPath, once it can be pressed.
    ///
    /// # Panics
    /// When there is none in time.
    pub async fn press_at(&self, path: &str, what: &str) {
        self.app.switch(self.page).await;
        until_done(PATIENCE, &format!("{what} should be there to be pressed"), async || {
            let found = self
                .app
                .driver()
                .find_all(By::XPath(path))
                .await
                .map_err(|error| error.to_string())?;
            let mut why = format!("There are {} such things", found.len());
            for element in found {
                match press(&element).await {
                    Ok(()) => return Ok(()),
                    Err(error) => why = error,
                }
            }
            Err(why)
        })
        .await;
    }

    /// Whether a button with this name can be pressed now.
    pub async fn can_press(&self, name: &str) -> bool {
        self.app.switch(self.page).await;
        for element in self
            .app
            .driver()
            .find_all(By::XPath(button(name)))
            .await
            .unwrap_or_default()
        {
            if pressable(&element).await {
                return true;
            }
        }
        false
    }

    /// Types into the field with this label, in place of what stands there.
    ///
    /// # Panics
    /// When there is no such field in time.
    pub async fn fill(&self, label: &str, text: &str) {
        self.app.switch(self.page).await;
        let path = field(label);
        until(
            &format!("the field `{label}` should be there to be filled"),
            async || {
                let element = self.app.driver().find(By::XPath(&*path)).await.ok()?;
                type_into(&element, text).await.ok()
            },
        )
        .await;
    }

    /// Picks an option of the list with this label.
    ///
    /// # Panics
    /// When there is no such list or option in time.
    pub async fn choose(&self, label: &str, option: &str) {
        self.app.switch(self.page).await;
        let path = format!("{}/option[normalize-space(.)={}]", field(label), quoted(option));
        until(
            &format!("`{option}` should be there to be picked for `{label}`"),
            async || self.app.driver().find(By::XPath(&*path)).await.ok()?.click().await.ok(),
        )
        .await;
    }

    /// Everything that can be read in the window now.
    pub async fn text(&self) -> String {
        self.script("return document.body.innerText", json!([])).await
    }

    /// Waits until the window shows a text.
    ///
    /// # Panics
    /// When it does not in time.
    pub async fn shows(&self, text: &str) {
        until(&format!("the window {} should show `{text}`", self.page), async || {
            self.text().await.contains(text).then_some(())
        })
        .await;
    }

    /// Waits until the window does not show a text any more.
    ///
    /// # Panics
    /// When it still does after a while.
    pub async fn stops_showing(&self, text: &str) {
        let what = format!("the window {} should not show `{text}` any more", self.page);
        until(&what, async || (!self.text().await.contains(text)).then_some(())).await;
    }

    /// Asks for a command the way the window's own page does; the refusal's text when it is refused.
    pub async fn command(&self, name: &str, params: Value) -> Result<Value, String> {
        self.app.switch(self.page).await;
        let script = "const [name, given, done] = arguments;
            window.__TAURI_INTERNALS__.invoke(name, given === null ? undefined : { params: given }).then(
                (value) => done({ value: value ?? null }),
                (error) => done({ error: typeof error === 'string' ? error : JSON.stringify(error) }));";
        let answer = self.app.driver().execute_async(script, vec![json!(name), params]).await;
        let answer = answer.expect("a script can be run in the window").json().clone();
        match answer.get("error").and_then(Value::as_str) {
            Some(error) => Err(error.to_owned()),
            None => Ok(answer["value"].clone()),
        }
    }

    /// Runs a script in the window and returns what it returns.
    ///
    /// # Panics
    /// When it throws, or returns something else than was expected.
    pub async fn script<T: DeserializeOwned>(&self, script: &str, arguments: Value) -> T {
        self.app.switch(self.page).await;
        let arguments = arguments.as_array().cloned().unwrap_or_default();
        let answer = self
            .app
            .driver()
            .execute(script, arguments)
            .await
            .expect("a script can be run in the window");
        serde_json::from_value(answer.json().clone())
            .unwrap_or_else(|error| panic!("the script returns something else ({error}): {}", answer.json()))
    }

    /// Runs a script that answers through the function in its last argument.
    ///
    /// # Panics
    /// When it throws, does not answer, or answers something else than was expected.
    pub async fn later<T: DeserializeOwned>(&self, script: &str, arguments: Value) -> T {
        self.app.switch(self.page).await;
        let arguments = arguments.as_array().cloned().unwrap_or_default();
        let answer = self
            .app
            .driver()
            .execute_async(script, arguments)
            .await
            .expect("the script answers");
        serde_json::from_value(answer.json().clone())
            .unwrap_or_else(|error| panic!("the script answers something else ({error}): {}", answer.json()))
    }

    /// Brings the window to the front and waits until it has drawn its present state.
    ///
    /// # Panics
    /// When it cannot be seen, or does not draw.
    pub async fn settle(&self) {
        activate(self.title).await;
        let script = "const done = arguments[0];
            const drawn = () => requestAnimationFrame(() => requestAnimationFrame(() => done(true)));
            document.fonts.ready.then(() => setTimeout(drawn, 800));";
        self.later::<bool>(script, json!([])).await;
    }

    /// Brings the window to the front and writes what it shows, without its frame, to a PNG file.
    ///
    /// # Panics
    /// When it cannot be seen.
    pub async fn photograph(&self, path: &Path) {
        self.settle().await;
        photograph_window(self.title, path);
    }

    /// Everything at an XPath now.
    pub async fn all(&self, path: &str) -> Vec<WebElement> {
        self.app.switch(self.page).await;
        self.app.driver().find_all(By::XPath(path)).await.unwrap_or_default()
    }

    /// Waits until something stands at an XPath, with another patience than usual.
    ///
    /// # Panics
    /// When nothing does in time.
    pub async fn has(&self, limit: Duration, path: &str, what: &str) {
        until_within(limit, what, async || (!self.all(path).await.is_empty()).then_some(())).await;
    }
}

async fn press(element: &WebElement) -> Result<(), String> {
    if !pressable(element).await {
        return Err("It is hidden or disabled".into());
    }
    if element.click().await.is_ok() {
        return Ok(());
    }
    // The driver brings it to the window's edge, where it can stand behind what sticks there; a person would go on scrolling.
    element.scroll_into_view().await.map_err(|error| error.to_string())?;
    element.click().await.map_err(|error| error.to_string())
}

/// Enabled, and drawn. The driver's own answer to the second takes a button with an animation in it for hidden.
async fn pressable(element: &WebElement) -> bool {
    let drawn = "return arguments[0].checkVisibility() && arguments[0].getClientRects().length > 0";
    let drawn = match element.to_json() {
        Ok(this) => element
            .handle()
            .execute(drawn, vec![this])
            .await
            .is_ok_and(|answer| answer.json() == &json!(true)),
        Err(_) => false,
    };
    drawn && element.is_enabled().await.unwrap_or(false)
}

async fn type_into(element: &WebElement, text: &str) -> WebDriverResult<()> {
    if text.len() < 400 {
        element.clear().await?;
        return element.send_keys(text).await;
    }
    let script = "const [field, text] = arguments;
        field.value = text;
        field.dispatchEvent(new Event('input', { bubbles: true }));";
    element
        .handle()
        .execute(script, vec![element.to_json()?, json!(text)])
        .await
        .map(|_| ())
}

fn button(name: &str) -> String {
    let name = quoted(name);
    format!("//*[self::button or self::summary or @role='button'][normalize-space(.)={name} or @aria-label={name}]")
}

fn field(label: &str) -> String {
    let label = quoted(label);
    format!(
        "//*[self::input or self::textarea or self::select][@aria-label={label} or \
         @id=//label[normalize-space(.)={label} or normalize-space(*[1])={label} or starts-with(normalize-space(.), concat({label}, ' '))]/@for]"
    )
}

/// A text as an XPath literal; XPath has no escapes.
pub(crate) fn quoted(text: &str) -> String {
    if text.contains('\'') {
        format!("\"{text}\"")
    } else {
        format!("'{text}'")
    }
}
