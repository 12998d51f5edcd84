//! Numbers of 256 bits in base 62.

const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Digits of a 256-bit number in base 62.
pub(crate) const LENGTH: usize = 43;

/// The big-endian number in base 62, padded to [`LENGTH`] digits.
pub(crate) fn encode(mut number: [u8; 32]) -> String {
    let mut digits: Vec<char> = (0..LENGTH).map(|_| divide(&mut number)).collect();
    digits.reverse();
    digits.into_iter().collect()
}

/// Divides the number by 62 and returns the remainder as a digit.
fn divide(number: &mut [u8; 32]) -> char {
    let mut remainder = 0_u16;
    for byte in number {
        let dividend = remainder << 8 | u16::from(*byte);
        // The remainder is below 62, so the quotient fits a byte.
        *byte = u8::try_from(dividend / 62).unwrap_or(u8::MAX);
        remainder = dividend % 62;
    }
    DIGITS.get(usize::from(remainder)).copied().map_or('0', char::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_its_own_43_digits() {
        assert_eq!(encode([0; 32]), "0".repeat(LENGTH));
        let mut sixty_three = [0; 32];
        sixty_three[31] = 63;
        assert!(encode(sixty_three).ends_with("011"));
        // 2^256 - 1, computed with Python.
        assert_eq!(encode([255; 32]), "yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp1");
    }
}
