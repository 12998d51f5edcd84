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
    let wiring = Wiring::for_command(configuration, Access::Change).await?;
    let done = invite(&wiring, configuration, &origin, user).await;
    wiring.close().await;
    done
}

async fn invite(
    wiring: &Wiring,
    configuration: &Configuration,
    origin: &str,
    user: &str,
) -> Result<(), CommandError> {
    let found = token::find(&wiring.access(), user).await?;
    let sign_ins = wiring.sign_ins(configuration.site.sessions);
    let code = match sign_ins.invite(Operator.into(), found.id).await {
        Ok(code) => code,
        Err(Failure::Refused(Refusal::State(_))) => {
            return Err(CommandError::Failed(format!(
                "the user {user} is not ACTIVE and cannot be invited"
            )));
        }
        Err(failure) => return Err(failure.into()),
    };
    output::answer(&format!("{origin}/invitation/{}\n", code.0))
}
