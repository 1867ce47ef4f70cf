/// Splits a byte stream into lines. A line ends with LF, CRLF or CR, wherever the chunks were cut; bytes that are not UTF-8
/// become U+FFFD, decided on whole lines so that no character is torn by a chunk.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    open: Vec<u8>,
    after_cr: bool,
    started: bool,
}

impl Lines {
    /// The lines that are whole once `bytes` have come.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut lines = Vec::new();
        for &byte in bytes {
            let second_of_crlf = std::mem::replace(&mut self.after_cr, byte == b'\r') && byte == b'\n';
            match byte {
                b'\n' if second_of_crlf => {}
                b'\n' | b'\r' => lines.push(self.take()),
                _ => self.open.push(byte),
            }
        }
        lines
    }

    /// What stands after the last line end, if anything does.
    pub(crate) fn rest(&mut self) -> Option<String> {
        (!self.open.is_empty()).then(|| self.take())
    }

    fn take(&mut self) -> String {
        let line = String::from_utf8_lossy(&std::mem::take(&mut self.open)).into_owned();
        if std::mem::replace(&mut self.started, true) {
            line
        } else {
            line.trim_start_matches('\u{feff}').to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;

    fn split(chunks: &[&[u8]]) -> Vec<String> {
        let mut lines = Lines::default();
        let mut all: Vec<String> = chunks.iter().flat_map(|chunk| lines.push(chunk)).collect();
        all.extend(lines.rest());
        all
    }

    #[test]
    fn every_line_end_counts_once_across_chunks() {
        assert_eq!(split(&[b"a\r", b"\nb\rc\n\n", b"d"]), ["a", "b", "c", "", "d"]);
    }

    #[test]
    fn a_character_cut_by_a_chunk_is_whole() {
        assert_eq!(
            split(&[b"\xef\xbb\xbfcaf\xc3", b"\xa9\n", b"\xff\n"]),
            ["café", "\u{fffd}"]
        );
    }
}
