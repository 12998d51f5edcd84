//! `patrol user`.

use patrol_application::{Failure, Operator};
use patrol_data_set::broken_rule;
use patrol_domain::{Fault, Refusal, Rule, user::UserDraft};

use super::invite;
use crate::{
    command_line::{self, NewUser},
    error::CommandError,
    output,
    settings::Configuration,
    store::{Access, NewFile},
    wiring::Wiring,
};

/// Creates or invites users.
pub(super) async fn run(
    configuration: &Configuration,
    task: command_line::User,
) -> Result<(), CommandError> {
    match task {
        command_line::User::Create(new) => {
            let new_file = NewFile::expected(configuration);
            let create = async |wiring: &Wiring| create(wiring, new).await;
            Wiring::run(configuration, Access::Create, create).await?;
            new_file.log();
            Ok(())
        }
        command_line::User::Invite { user } => invite::run(configuration, &user).await,
    }
}

/// Creates a user and prints the id.
async fn create(wiring: &Wiring, new: NewUser) -> Result<(), CommandError> {
    let NewUser { role, email, first_name, middle_name, last_name, employee_no, phone, language } =
        new;
    let draft = UserDraft {
        first_name: Some(first_name),
        middle_name,
        last_name: Some(last_name),
        employee_no,
        email: Some(email),
        phone,
        language,
        role: Some(role),
        ..UserDraft::default()
    };
    match wiring.users().create(Operator.into(), draft).await {
        Ok(user) => output::answer(&format!("{}\n", user.id)),
        Err(Failure::Refused(Refusal::Invalid(faults))) => Err(refused(&faults)),
        Err(failure) => Err(failure.into()),
    }
}

/// Values that other users have can be given up, so they are no wrong usage.
fn refused(faults: &[Fault]) -> CommandError {
    let messages: Vec<_> = faults.iter().map(message).collect();
    let messages = messages.join("; ");
    if faults.iter().all(|fault| fault.rule == Rule::Unique) {
        CommandError::Failed(messages)
    } else {
        CommandError::Usage(messages)
    }
}

fn message(Fault { identifier, rule }: &Fault) -> String {
    let flag = flag(identifier);
    match rule {
        Rule::Unique => format!("{flag}: another user has it as employeeNo or email"),
        rule => format!("{flag} {}", broken_rule(rule)),
    }
}

/// The flag for a member: `--first-name` for `firstName`.
fn flag(member: &str) -> String {
    let mut flag = "--".to_owned();
    for letter in member.chars() {
        if letter.is_ascii_uppercase() {
            flag.push('-');
        }
        flag.push(letter.to_ascii_lowercase());
    }
    flag
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(identifier: &str, rule: Rule) -> Fault {
        Fault { identifier: identifier.to_owned(), rule }
    }

    #[test]
    fn an_error_names_the_flags() {
        let faults =
            [fault("firstName", Rule::Length { min: 1, max: 255 }), fault("email", Rule::Unique)];
        let both = refused(&faults);
        assert_eq!(both.exit_code(), 2);
        assert_eq!(
            both.to_string(),
            "--first-name must have a length of 1 to 255; \
             --email: another user has it as employeeNo or email"
        );
        assert_eq!(refused(&faults[1..]).exit_code(), 1);
    }
}
