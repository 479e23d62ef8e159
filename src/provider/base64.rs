//! Reads base64 (RFC 4648, section 4; the alphabet of section 5 too), in which some servers send vectors.

/// The bytes; none if the text is no base64. Padding may be missing.
pub(super) fn decoded(text: &str) -> Option<Vec<u8>> {
    let text = text.trim().trim_end_matches('=');
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    let (mut held, mut bits) = (0_u32, 0_u32);
    for sign in text.bytes() {
        let six = match sign {
            b'A'..=b'Z' => sign - b'A',
            b'a'..=b'z' => sign - b'a' + 26,
            b'0'..=b'9' => sign - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        held = (held << 6) | u32::from(six);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from((held >> bits) & 0xff).ok()?);
            held &= (1 << bits) - 1;
        }
    }
    // A rest of six bits is half a byte.
    (bits < 6).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn the_examples_of_the_standard_are_read() {
        for (text, bytes) in [
            ("", ""),
            ("Zg==", "f"),
            ("Zm8=", "fo"),
            ("Zm9v", "foo"),
            ("Zm9vYg", "foob"),
            ("Zm9vYmE=", "fooba"),
            ("Zm9vYmFy", "foobar"),
        ] {
            assert_eq!(decoded(text).unwrap(), bytes.as_bytes(), "{text}");
        }
        assert_eq!(decoded("--__").unwrap(), decoded("++//").unwrap());
        assert!(decoded("Z").is_none() && decoded("Zm 9v").is_none());
    }
}
