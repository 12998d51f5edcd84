//! Invitations to set a password.

use async_trait::async_trait;
use diesel::prelude::*;
use futures_util::FutureExt as _;
use patrol_domain::{
    EditError, StoreError, Timestamp,
    access::Digest,
    event::Origin,
    sign_in::{AcceptedInvitation, Invitation, Invitations, NewInvitation, Session},
};

use super::{
    account::{existing_account, set_hash},
    sessions::insert_session,
};
use crate::{
    Connection, Dialect, Engine, Repository,
    stored::{
        Abort,
        schema::invitations,
        sign_in::{self, InvitationRow},
        sql::columns,
    },
};

#[async_trait]
impl<S: Engine> Invitations for Repository<S> {
    async fn create(&self, new: NewInvitation) -> Result<(), EditError> {
        let user = new.invitation.user.0;
        self.0.write(Some(user), new, |conn, new| invite(conn, new).boxed()).await
    }

    async fn find(&self, digest: Digest) -> Result<Option<Invitation>, StoreError> {
        self.0.read(digest, |conn, digest| invitation(conn, digest).boxed()).await
    }

    async fn accept(&self, accepted: AcceptedInvitation, by: Origin) -> Result<(), EditError> {
        let user = accepted.session.session.user.0;
        self.0
            .write(Some(user), (accepted, by), |conn, (accepted, by)| {
                accept(conn, accepted, by).boxed()
            })
            .await
    }

    async fn delete_ended(&self, until: Timestamp) -> Result<usize, StoreError> {
        self.execute(until, |until| sign_in::delete_invitations(*until)).await
    }
}

async fn invite(conn: &impl Dialect, new: &NewInvitation) -> Result<(), Abort<EditError>> {
    let NewInvitation { invitation, digest, failures } = new;
    Invitation::check_user(&existing_account(conn, invitation.user).await?.user)?;
    conn.execute(sign_in::end_invitations(invitation.user, invitation.created_at)).await?;
    let written = (InvitationRow::of(invitation), invitations::digest.eq(digest.0.as_slice()));
    conn.execute(diesel::insert_into(invitations::table).values(written)).await?;
    conn.execute(sign_in::forget_failures(*failures)).await?;
    Ok(())
}

async fn accept(
    conn: &impl Dialect,
    accepted: &AcceptedInvitation,
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    let AcceptedInvitation { digest, hash, session: new, failures } = accepted;
    let Session { user, created_at: now, .. } = new.session;
    let account = existing_account(conn, user).await?;
    // Read after the user is locked: every change that ends invitations locks the user first.
    let found = invitation(conn, digest).await?.filter(|found| found.user == user);
    if !found.is_some_and(|found| found.is_open(&account.user, now)) {
        return Err(EditError::Missing.into());
    }
    set_hash(conn, &account, Some(hash.clone()), by).await?;
    conn.execute(sign_in::end_sessions(user, None)).await?;
    insert_session(conn, new).await?;
    conn.execute(sign_in::forget_failures(*failures)).await?;
    Ok(())
}

async fn invitation<E>(
    conn: &impl Connection,
    digest: &Digest,
) -> Result<Option<Invitation>, Abort<E>> {
    let found = sign_in::invitation(&digest.0).select(columns::<InvitationRow>());
    Ok(conn.first(found).await?.map(InvitationRow::invitation).transpose()?)
}
