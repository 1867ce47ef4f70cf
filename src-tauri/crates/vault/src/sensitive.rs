use std::fmt;

/// A value that cannot be printed or serialised. Whoever needs it says so with [`Sensitive::expose`].
#[derive(Clone, Default)]
pub struct Sensitive<T>(T);

impl<T> Sensitive<T> {
    /// Takes a secret in.
    pub const fn new(secret: T) -> Self {
        Self(secret)
    }

    /// The secret itself, for the one place that uses it.
    pub const fn expose(&self) -> &T {
        &self.0
    }

    /// Gives the secret away.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> From<T> for Sensitive<T> {
    fn from(secret: T) -> Self {
        Self(secret)
    }
}

impl<T> fmt::Debug for Sensitive<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<redacted>")
    }
}

#[cfg(test)]
mod tests {
    use super::Sensitive;

    #[test]
    fn debug_says_redacted_however_deep_it_sits() {
        let secret = Some(("key", Sensitive::new("sk-1234".to_owned())));
        assert_eq!(format!("{secret:?}"), r#"Some(("key", <redacted>))"#);
        assert_eq!(format!("{:#?}", Sensitive::new("sk-1234")), "<redacted>");
    }
}
