/// The name of our entry, in every client.
pub(super) const OURS: &str = "countersign";

/// What a file says, whatever its format, so that two of them can be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tree {
    /// A string.
    Text(String),
    /// Any other scalar, as it is written.
    Bare(String),
    List(Vec<Tree>),
    Members(Vec<(String, Tree)>),
}

impl Tree {
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub fn members<const N: usize>(members: [(&str, Self); N]) -> Self {
        Self::Members(members.map(|(name, value)| (name.to_owned(), value)).into())
    }

    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Members(members) => members
                .iter()
                .find(|(member, _)| member == name)
                .map(|(_, value)| value),
            _ => None,
        }
    }

    pub fn entry(&self, container: &str) -> Option<&Self> {
        self.get(container)?.get(OURS)
    }

    /// A name that stands twice in one table means one thing to one reader and another to the next.
    pub fn unique(members: Vec<(String, Self)>) -> Result<Self, String> {
        let mut names: Vec<_> = members.iter().map(|(name, _)| name).collect();
        names.sort();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(format!("`{}` stands in it twice", pair[0])),
            None => Ok(Self::Members(members)),
        }
    }

    /// The same without our entry, and without the table of entries if nothing else is in it.
    fn without_ours(&self, container: &str) -> Self {
        let Self::Members(members) = self else {
            return self.clone();
        };
        let mut rest = members.clone();
        for (name, value) in &mut rest {
            if let (true, Self::Members(entries)) = (name == container, value) {
                entries.retain(|(name, _)| name != OURS);
            }
        }
        rest.retain(|(name, value)| name != container || !value.is_nothing());
        Self::Members(rest)
    }

    fn is_nothing(&self) -> bool {
        match self {
            Self::Members(members) => members.is_empty(),
            Self::Bare(text) => text.is_empty(),
            _ => false,
        }
    }
}

/// Whether `after` is `before` with this entry as ours, or with none, and nothing else differs, not even the order.
pub(super) fn only_ours_differs(before: &Tree, after: &Tree, container: &str, entry: Option<&Tree>) -> bool {
    after.entry(container) == entry && before.without_ours(container) == after.without_ours(container)
}
