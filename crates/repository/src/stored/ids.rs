//! Lists of ids: 16 bytes for each id.

use patrol_domain::ids::Uuid;

use crate::stored::Error;

/// The stored form of `ids`, in order.
#[must_use]
pub fn write<T: Copy + Into<Uuid>>(ids: &[T]) -> Vec<u8> {
    let mut stored = Vec::with_capacity(ids.len() * size_of::<Uuid>());
    for id in ids {
        stored.extend_from_slice((*id).into().as_bytes());
    }
    stored
}

/// The ids in `stored`.
///
/// # Errors
/// When the last id is incomplete.
pub fn read<T: From<Uuid>>(stored: &[u8]) -> Result<Vec<T>, Error> {
    let (ids, rest) = stored.as_chunks();
    if !rest.is_empty() {
        return Err(Error::Ids(stored.len()));
    }
    Ok(ids.iter().map(|id| T::from(Uuid::from_bytes(*id))).collect())
}

#[cfg(test)]
mod tests {
    use patrol_domain::ids::UserId;

    use super::*;

    #[test]
    fn ids_come_back_in_their_order() {
        let ids = [3, 1, 2].map(|id| UserId(Uuid::from_u128(id)));
        assert_eq!(read::<UserId>(&write(&ids)), Ok(ids.to_vec()));
        assert_eq!(read::<UserId>(&[]), Ok(Vec::new()));
    }

    #[test]
    fn half_an_id_is_an_error() {
        assert_eq!(read::<UserId>(&[0; 24]), Err(Error::Ids(24)));
    }
}
