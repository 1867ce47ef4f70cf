use std::path::{Path, PathBuf};

use countersign_scenarios::{App, Hand, Options, Screen, photograph};

/// Which of the two palettes the desktop asks for.
#[derive(Clone, Copy)]
pub enum Light {
    Bright,
    Dark,
}

/// Where the pictures of one palette go.
pub struct Album {
    light: Light,
    folder: PathBuf,
}

impl Album {
    pub fn new(light: Light) -> Self {
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(
            || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"),
            PathBuf::from,
        );
        let folder = target.join("shots");
        std::fs::create_dir_all(&folder).expect("target/shots can be made");
        Self { light, folder }
    }

    /// Starts an app on a desktop with this album's palette.
    pub async fn start(&self, options: Options) -> App {
        App::start(match self.light {
            Light::Bright => options,
            Light::Dark => options.env("GTK_THEME", "Adwaita:dark"),
        })
        .await
    }

    /// One window.
    pub async fn window(&self, screen: &Screen<'_>, name: &str) {
        screen.photograph(&self.file(name)).await;
    }

    /// A page in the browser.
    pub async fn page(&self, hand: &Hand, name: &str) {
        hand.photograph(&self.file(name)).await;
    }

    /// The whole desktop.
    pub fn desktop(&self, name: &str) {
        let file = self.file(name);
        photograph(&file);
        println!("{}", file.display());
    }

    fn file(&self, name: &str) -> PathBuf {
        let ending = match self.light {
            Light::Bright => "",
            Light::Dark => "-dark",
        };
        self.folder.join(format!("{name}{ending}.png"))
    }
}
