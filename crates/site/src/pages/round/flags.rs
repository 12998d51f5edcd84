//! What is odd about the entries of a round, in words.

use patrol_domain::report::{RefusalCode, Verdict, VerdictCode};

use crate::texts::{Text, Texts};

/// A verdict in words.
pub(super) fn flag(t: &Texts, Verdict { code, args }: &Verdict) -> String {
    let text = match code {
        VerdictCode::CodeMismatch => &t.round_flag_mismatch,
        VerdictCode::CodeMissing => &t.round_flag_missing,
        VerdictCode::Distance => &t.round_flag_distance,
        VerdictCode::Speed => &t.round_flag_speed,
        VerdictCode::Order => &t.round_flag_order,
        VerdictCode::Early => &t.round_flag_early,
        VerdictCode::Late => &t.round_flag_late,
        VerdictCode::Ahead => &t.round_flag_ahead,
        VerdictCode::Backwards => &t.round_flag_backwards,
        VerdictCode::LateUpload => &t.round_flag_late_upload,
    };
    text.with_each(args)
}

/// Why an entry was refused, in words.
pub(super) const fn refusal(t: &Texts, code: RefusalCode) -> &Text {
    match code {
        RefusalCode::State => &t.round_refused_state,
        RefusalCode::Reference => &t.round_refused_reference,
        RefusalCode::Value => &t.round_refused_value,
    }
}

#[cfg(test)]
mod tests {
    use patrol_domain::Named as _;

    use super::*;
    use crate::texts::Language;

    #[test]
    fn every_flag_is_said_in_words_with_its_numbers() {
        for language in Language::all() {
            for code in VerdictCode::ALL {
                let args: Vec<_> =
                    ["250", "100"].map(str::to_owned).into_iter().take(code.args()).collect();
                let said = flag(&language.texts, &Verdict { code: *code, args: args.clone() });
                assert!(args.iter().all(|arg| said.contains(arg)), "{said}");
                assert!(!said.contains("{}") && !said.contains(code.name()), "{said}");
            }
        }
        let verdict =
            Verdict { code: VerdictCode::Distance, args: vec!["250".into(), "100".into()] };
        assert_eq!(
            flag(&Language::usual().texts, &verdict),
            "250 m from the point, more than the allowed 100 m."
        );
    }
}
