use std::fmt::{self, Display, Formatter};

/// A line that is in one transcript only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Without Countersign only.
    Bare(String),
    /// With it only.
    Held(String),
}

impl Display for Difference {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bare(line) => write!(f, "- {line}"),
            Self::Held(line) => write!(f, "+ {line}"),
        }
    }
}

/// The lines that have to go and to come to make `held` of `bare`: what is left beside the longest common sequence.
pub fn differences(bare: &[String], held: &[String]) -> Vec<Difference> {
    let mut common = vec![vec![0_usize; held.len() + 1]; bare.len() + 1];
    for (at, line) in bare.iter().enumerate().rev() {
        for (other, its) in held.iter().enumerate().rev() {
            common[at][other] = if line == its {
                common[at + 1][other + 1] + 1
            } else {
                common[at + 1][other].max(common[at][other + 1])
            };
        }
    }
    let (mut at, mut other) = (0, 0);
    let mut differences = Vec::new();
    while at < bare.len() || other < held.len() {
        match (bare.get(at), held.get(other)) {
            (Some(line), Some(its)) if line == its => {
                at += 1;
                other += 1;
            }
            (Some(line), its) if its.is_none() || common[at + 1][other] >= common[at][other + 1] => {
                differences.push(Difference::Bare(line.clone()));
                at += 1;
            }
            (_, Some(its)) => {
                differences.push(Difference::Held(its.clone()));
                other += 1;
            }
            (_, None) => break,
        }
    }
    differences
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_one_only_is_a_difference_and_so_is_another_order() {
        let lines = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let (bare, held) = (
            |line: &str| Difference::Bare(line.into()),
            |line: &str| Difference::Held(line.into()),
        );
        assert_eq!(differences(&lines("a b c"), &lines("a b c")), []);
        assert_eq!(
            differences(&lines("a b c"), &lines("a x c d")),
            [bare("b"), held("x"), held("d")]
        );
        assert_eq!(differences(&lines("a b"), &lines("b a")).len(), 2);
    }
}
