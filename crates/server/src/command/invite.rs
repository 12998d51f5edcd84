//! `patrol user invite`.

use patrol_application::{Failure, Operator};
use patrol_domain::Refusal;

use super::token;
use crate::{
    error::CommandError, output, settings::Configuration, site_address, store::Access,
    wiring::Wiring,
};

/// Invites a user and prints the link.
pub(super) async fn run(configuration: &Configuration, user: &str) -> Result<(), CommandError> {
    let origin = site_address::public_origin(configuration)?;
    let invite = async |wiring: &Wiring| {
        let found = token::find(&wiring.access(), user).await?;
        let sign_ins = wiring.sign_ins(configuration.site.sessions);
        match sign_ins.invite(Operator.into(), found.id).await {
            Ok(code) => output::answer(&format!("{origin}/invitation/{}\n", code.0)),
            Err(Failure::Refused(Refusal::State(_))) => Err(CommandError::Failed(format!(
                "the user {user} is not ACTIVE and cannot be invited"
            ))),
            Err(failure) => Err(failure.into()),
        }
    };
    Wiring::run(configuration, Access::Change, invite).await
}
