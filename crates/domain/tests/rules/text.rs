use patrol_domain::shared::text::fold;
use proptest::{collection::vec, prelude::*, sample::select};

/// The same character in another case, if there is one that is one character.
fn in_other_case(letter: char) -> char {
    let other = |mut letters: Box<dyn Iterator<Item = char>>| match (letters.next(), letters.next())
    {
        (Some(other), None) => other,
        _ => letter,
    };
    let upper = other(Box::new(letter.to_uppercase()));
    let lower = other(Box::new(letter.to_lowercase()));
    if upper != letter && upper.to_lowercase().eq(letter.to_lowercase()) { upper } else { lower }
}

fn letters() -> impl Strategy<Value = Vec<char>> {
    let special = "ΣσςΟοΆİIıßẞǅÅЁёΑ. -".chars().collect::<Vec<_>>();
    vec(prop_oneof![2 => select(special), 1 => any::<char>()], 0..12)
}

proptest! {
    #[test]
    fn a_folded_text_contains_each_part_of_the_text_in_any_case(
        text in letters(),
        ends in (0..12_usize, 0..12_usize),
        cases in vec(any::<bool>(), 12),
    ) {
        let (from, to) = (ends.0.min(ends.1).min(text.len()), ends.0.max(ends.1).min(text.len()));
        let letters = text[from..to].iter().zip(cases);
        let part: String = letters
            .map(|(letter, change)| if change { in_other_case(*letter) } else { *letter })
            .collect();
        let text = text.into_iter().collect::<String>();
        prop_assert!(fold(&text).contains(&fold(&part)), "{text:?} {part:?}");
    }
}

#[test]
fn each_character_is_folded_by_itself() {
    for (text, folded) in [
        ("ΝΟΣ", "νοσ"),
        ("νος", "νος"),
        ("ΦΥΛΑΚΙΟ ΝΟΣΟΚΟΜΕΙΟΥ", "φυλακιο νοσοκομειου"),
        ("ЁЛКА", "ёлка"),
        ("İ", "i\u{307}"),
        ("ẞ", "ß"),
    ] {
        assert_eq!(fold(text), folded);
    }
}
