use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a person wants done for one site, beyond what is done for every site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export_to = "contract.ts")]
pub struct SitePolicy {
    /// Which pages it is for: an origin (`https://shop.example`), every origin below a host (`https://*.shop.example`), or
    /// `*` for all. The closest one counts; of two equally close ones, the stricter.
    pub origin: String,
    /// What becomes of the requests a read of such a page makes and that ask for something without sending anything.
    pub gets: GetPolicy,
}

/// What becomes of GET, HEAD and OPTIONS requests that a read makes. All others are held in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
#[ts(export_to = "contract.ts")]
pub enum GetPolicy {
    /// They pass: most reads cannot answer without them.
    #[default]
    Pass,
    /// Each is held, and becomes a proposal, within the same bounds as a request that could change something.
    Hold,
}

impl SitePolicy {
    /// Whether the pattern is one. One that is not holds everywhere rather than nowhere.
    pub fn is_readable(&self) -> bool {
        self.origin == "*" || pattern(&self.origin).is_some()
    }

    /// How closely the pattern fits an origin; `None` when it does not.
    fn closeness(&self, origin: &str) -> Option<usize> {
        if self.origin == "*" {
            return Some(0);
        }
        let Some((scheme, host)) = pattern(&self.origin) else {
            return (self.gets == GetPolicy::Hold).then_some(0);
        };
        match host.strip_prefix("*.") {
            Some(above) => {
                let inner = origin.strip_prefix(scheme)?.strip_prefix("://")?;
                let below = inner.strip_suffix(above)?.strip_suffix('.')?;
                (!below.is_empty()).then_some(above.len())
            }
            None => (origin == self.origin).then_some(usize::MAX),
        }
    }
}

/// The scheme and the host, with its port, of a pattern that is not `*`.
fn pattern(text: &str) -> Option<(&str, &str)> {
    let (scheme, host) = text.split_once("://")?;
    let plain = host.strip_prefix("*.").unwrap_or(host);
    let is_host = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-._:[]".contains(c);
    let is_scheme = matches!(scheme, "http" | "https" | "file");
    // A file has no host.
    (is_scheme && (scheme == "file") == plain.is_empty() && plain.chars().all(is_host)).then_some((scheme, host))
}

/// What these policies say of GETs that a read of this origin makes.
pub fn gets_of(sites: &[SitePolicy], origin: &str) -> GetPolicy {
    sites
        .iter()
        .filter_map(|site| Some((site.closeness(origin)?, site.gets)))
        .max()
        .map(|(_, gets)| gets)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(origin: &str, gets: GetPolicy) -> SitePolicy {
        let origin = origin.into();
        SitePolicy { origin, gets }
    }

    #[test]
    fn the_closest_policy_counts_and_of_two_the_stricter() {
        use GetPolicy::{Hold, Pass};
        assert_eq!(gets_of(&[], "https://a.example"), Pass);
        let sites = [
            site("*", Hold),
            site("https://*.shop.example", Pass),
            site("https://*.pay.shop.example", Hold),
            site("https://old.shop.example", Hold),
            site("https://old.shop.example", Pass),
            site("http://127.0.0.1:8080", Pass),
        ];
        for (origin, gets) in [
            ("https://a.example", Hold),
            ("https://a.shop.example", Pass),
            ("https://shop.example", Hold),
            ("http://a.shop.example", Hold),
            ("https://ashop.example", Hold),
            ("https://x.pay.shop.example", Hold),
            ("https://old.shop.example", Hold),
            ("http://127.0.0.1:8080", Pass),
            ("http://127.0.0.1:80", Hold),
            ("null", Hold),
        ] {
            assert_eq!(gets_of(&sites, origin), gets, "{origin}");
        }
    }

    #[test]
    fn a_pattern_that_cannot_be_read_holds_everywhere_and_lets_nothing_pass() {
        for text in [
            "",
            "shop.example",
            "https://",
            "https://Shop.example",
            "https://a/*",
            "https://a.*.b/",
            "ftp://a",
        ] {
            let hold = site(text, GetPolicy::Hold);
            assert!(!hold.is_readable(), "{text}");
            assert_eq!(gets_of(&[hold], "https://a.example"), GetPolicy::Hold);
            let sites = [site("*", GetPolicy::Hold), site(text, GetPolicy::Pass)];
            assert_eq!(gets_of(&sites, "https://a.example"), GetPolicy::Hold);
        }
        for text in [
            "*",
            "https://a.example",
            "http://*.a.example:81",
            "http://[::1]:80",
            "file://",
        ] {
            assert!(site(text, GetPolicy::Pass).is_readable(), "{text}");
        }
    }
}
