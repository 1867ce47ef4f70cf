//! The page's files, part of the binary.

/// One file of the page.
pub struct PageFile {
    /// The path it is asked for.
    pub path: &'static str,
    /// Its media type.
    pub media_type: &'static str,
    /// Its text.
    pub text: &'static str,
}

macro_rules! page_file {
    ($path:literal, $name:literal, $media_type:literal) => {
        PageFile {
            path: $path,
            media_type: $media_type,
            text: include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/bridge/page/examples/shop/",
                $name
            )),
        }
    };
}

/// Every file there is; any other path is answered with 404.
pub const PAGE_FILES: [PageFile; 7] = [
    page_file!("/", "index.html", "text/html; charset=utf-8"),
    page_file!("/style.css", "style.css", "text/css; charset=utf-8"),
    page_file!("/shop.js", "shop.js", "text/javascript; charset=utf-8"),
    page_file!("/view.js", "view.js", "text/javascript; charset=utf-8"),
    page_file!("/tools.js", "tools.js", "text/javascript; charset=utf-8"),
    page_file!("/api.js", "api.js", "text/javascript; charset=utf-8"),
    page_file!("/icon.svg", "icon.svg", "image/svg+xml"),
];
