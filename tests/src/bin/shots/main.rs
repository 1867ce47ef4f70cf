//! Photographs every screen in every state, from the real app, into `target/shots`: what a person sees first. With words as
//! arguments only the chapters with these names: `npm run shots -- empty held`.
#![forbid(unsafe_code)]

mod album;
mod chapters;
mod desktop;
mod examples;
mod standing;

use album::{Album, Light};

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let wants = |name: &str| wanted.is_empty() || wanted.iter().any(|word| word == name);
    for light in [Light::Bright, Light::Dark] {
        let album = Album::new(light);
        if wants("empty") {
            chapters::empty(&album).await;
            chapters::no_browser(&album).await;
        }
        if wants("by-hand") {
            chapters::by_hand(&album).await;
        }
        if wants("held") {
            chapters::held(&album).await;
        }
        if wants("risks") {
            chapters::risks(&album).await;
        }
        if wants("many") {
            chapters::many(&album).await;
            chapters::long_arguments(&album).await;
        }
        if wants("model") {
            chapters::streaming(&album).await;
            chapters::model_error(&album).await;
        }
        if wants("settings") {
            chapters::settings(&album).await;
        }
        if wants("ends") {
            chapters::browser_gone(&album).await;
        }
        if wants("rules") {
            standing::rules(&album).await;
        }
        if wants("unasked") {
            standing::unasked(&album).await;
        }
        if wants("examples") {
            examples::examples(&album).await;
        }
        if wants("desktop") {
            desktop::desktop(&album).await;
        }
    }
}
