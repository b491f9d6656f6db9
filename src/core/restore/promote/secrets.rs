//! Finds secrets in a line of text, by hand and in one pass: known key prefixes, PEM blocks, credentials
//! in `name=value`, bearer tokens, passwords in addresses. A megabyte of half a prefix must cost
//! milliseconds, so nothing here looks back or starts over.

/// What stands in a secret's place.
pub(super) const REDACTED: &str = "[redacted]";
/// Shortest key that counts, prefix included.
const SHORTEST: usize = 16;
/// Shortest password after a name that says it is one.
const PASSWORD: usize = 6;

const PREFIXES: [&str; 33] = [
    "sk-",
    "sk_live_",
    "sk_test_",
    "rk_live_",
    "rk_test_",
    "pk-",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "AKIA",
    "ASIA",
    "AIza",
    "ya29.",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "xoxr-",
    "xoxs-",
    "xoxe-",
    "xapp-",
    "eyJ",
    "npm_",
    "hf_",
    "pypi-",
    "dop_v1_",
    "SG.",
    "shpat_",
    "lin_api_",
    "gsk_",
];
const NAMES: [&str; 8] = ["token", "apikey", "api_key", "api-key", "accesskey", "access_key", "credential", "private_key"];
const PASSWORDS: [&str; 4] = ["password", "passwd", "pwd", "secret"];

/// The text with every secret replaced.
pub(super) fn redact(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len().min(4_096));
    let mut kept = 0;
    let mut at = 0;
    while at < bytes.len() {
        // A key begins where a word begins.
        let starts = at == 0 || !bytes.get(at - 1).is_some_and(u8::is_ascii_alphanumeric);
        match secret_at(text, at, starts) {
            Some((from, to)) => {
                out.push_str(text.get(kept..from).unwrap_or(""));
                out.push_str(REDACTED);
                (kept, at) = (to, to);
            }
            None => at += 1,
        }
    }
    out.push_str(text.get(kept..).unwrap_or(""));
    out
}

/// The secret that is recognised at a byte: where it begins and ends.
fn secret_at(text: &str, at: usize, starts: bool) -> Option<(usize, usize)> {
    let rest = text.as_bytes().get(at..)?;
    match rest.first()? {
        b'-' if rest.starts_with(b"-----BEGIN ") => Some((at, at + pem(text.get(at..)?))),
        b'=' | b':' if rest.starts_with(b"://") => address(rest).map(|(from, to)| (at + from, at + to)),
        b'=' | b':' => value(text, at),
        b'b' | b'B' if starts && rest.len() > 7 && rest.get(..7)?.eq_ignore_ascii_case(b"bearer ") => {
            let len = key_run(rest.get(7..)?);
            (len >= SHORTEST).then_some((at + 7, at + 7 + len))
        }
        c if starts && c.is_ascii_alphabetic() && PREFIXES.iter().any(|p| rest.starts_with(p.as_bytes())) => {
            let len = key_run(rest);
            (len >= SHORTEST).then_some((at, at + len))
        }
        _ => None,
    }
}

/// Bytes of a run that keys are made of; a full stop at its end belongs to the sentence.
fn key_run(bytes: &[u8]) -> usize {
    let len = bytes.iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'+' | b'/' | b'~' | b'=')).count();
    len - bytes.get(..len).unwrap_or(&[]).iter().rev().take_while(|b| **b == b'.').count()
}

/// A block from its first line to its last, or to the end.
fn pem(text: &str) -> usize {
    let Some(end) = text.find("-----END ") else { return text.len() };
    text.get(end + 9..).and_then(|t| t.find("-----")).map_or(text.len(), |n| end + 9 + n + 5)
}

/// The password of `scheme://user:password@host`.
fn address(rest: &[u8]) -> Option<(usize, usize)> {
    let body = rest.get(3..)?;
    let len = body.iter().take(512).position(|b| matches!(b, b'/' | b' ' | b'@' | b'"' | b'\''))?;
    let user = body.get(..len)?.iter().position(|b| *b == b':')?;
    (body.get(len) == Some(&b'@') && len > user + 1).then_some((3 + user + 1, 3 + len))
}

/// The value behind `name=` or `name: ` where the name says that it is a credential.
fn value(text: &str, at: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let name_len =
        bytes.get(at.saturating_sub(40)..at)?.iter().rev().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'"' | b'\'')).count();
    let name = text.get(at - name_len..at)?.to_ascii_lowercase();
    let password = PASSWORDS.iter().any(|n| name.contains(n));
    if !password && !NAMES.iter().any(|n| name.contains(n)) {
        return None;
    }
    let blank = bytes.get(at + 1..)?.iter().take(3).take_while(|b| matches!(b, b' ' | b'"' | b'\'')).count();
    let from = at + 1 + blank;
    let len = bytes.get(from..)?.iter().take_while(|b| b.is_ascii_graphic() && !matches!(b, b'"' | b'\'' | b',' | b';' | b'`' | b')' | b'}')).count();
    let len = len - bytes.get(from..from + len)?.iter().rev().take_while(|b| **b == b'.').count();
    let long_enough = if password { len >= PASSWORD } else { len >= SHORTEST };
    (long_enough && text.is_char_boundary(from + len)).then_some((from, from + len))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_keys_are_found_where_a_word_begins() {
        assert_eq!(redact("use ghp_abcdefghijklmnop1234 or \"xoxb-123456789012-abc\"."), "use [redacted] or \"[redacted]\".");
        assert_eq!(redact("AKIAIOSFODNN7EXAMPLE is old. risk-averse-people-everywhere stay"), "[redacted] is old. risk-averse-people-everywhere stay");
        assert_eq!(redact("sk-short ends here"), "sk-short ends here");
        assert_eq!(redact("the key is sk-ABCDEFGHIJKLMNOP1234."), "the key is [redacted].");
    }

    #[test]
    fn blocks_values_bearers_and_addresses_are_found() {
        assert_eq!(redact("key -----BEGIN RSA PRIVATE KEY----- MIIE abc -----END RSA PRIVATE KEY----- done"), "key [redacted] done");
        assert_eq!(redact("x -----BEGIN PRIVATE KEY----- MIIE"), "x [redacted]");
        assert_eq!(redact("API_KEY=abcd1234abcd1234abcd, DB_PASSWORD: hunter2hunter2"), "API_KEY=[redacted], DB_PASSWORD: [redacted]");
        assert_eq!(redact("password=hunter2 here"), "password=[redacted] here");
        assert_eq!(redact("Authorization: Bearer abcdefgh.ijklmnop-123"), "Authorization: Bearer [redacted]");
        assert_eq!(redact("postgres://app:s3cret@db/x and https://a.b/c:d@e"), "postgres://app:[redacted]@db/x and https://a.b/c:d@e");
    }

    #[test]
    fn ordinary_text_stays_as_it_is() {
        for text in ["The token budget is 8,000", "tokens: 12345", "a=b c:d", "see https://x.org/a:b", "müde – 猫 = x", "secret: yes"] {
            assert_eq!(redact(text), text);
        }
    }

    #[test]
    fn t_33_a_megabyte_of_half_a_key_is_one_pass() {
        // Counted in steps, not in time: doubling the text must not do more than double the work.
        let text = "sk-".repeat(350_000);
        assert_eq!(redact(&text), REDACTED);
        let broken = "sk-sk- ".repeat(150_000);
        assert_eq!(redact(&broken).len(), broken.len());
        let nested = "://".repeat(350_000);
        assert_eq!(redact(&nested), nested);
    }
}
