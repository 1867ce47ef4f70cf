//! The interceptor is TypeScript; the crate embeds its bundles. Cargo does not run npm, so a missing bundle is named here.

use std::path::Path;

fn main() {
    for bundle in ["page/interceptor/dist/main.js", "page/interceptor/dist/isolated.js"] {
        println!("cargo::rerun-if-changed={bundle}");
        if !Path::new(bundle).is_file() {
            println!("cargo::error=bridge/{bundle} is missing: run `npm run build:interceptor` first");
        }
    }
}
