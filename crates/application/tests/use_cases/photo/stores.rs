//! In-memory stores with one user. Each call waits once, so that a test can interleave the calls of two
//! use cases. A call can fail before or after its work.

use std::{
    collections::BTreeMap,
    future::{Future, poll_fn},
    pin::pin,
    sync::{Arc, Mutex, MutexGuard},
    task::{Context, Poll, Waker},
};

use async_trait::async_trait;
use patrol_application::{ImageService, PhotoService};
use patrol_domain::{
    Clock, EditError, Ids, StoreError, Timestamp, Versioned,
    event::Origin,
    ids::{MediaId, UserId, Uuid},
    photo::{
        CleanImage, ImageError, ImageFormat, ImageOwner, ImageOwners, Images, Photo, Photos,
        UserPhotos,
    },
    user::{MockUsers, User},
};

use crate::user::user;

/// The owner of the photo.
pub(super) const USER: UserId = UserId(Uuid::from_u128(1));

pub(super) fn photo(number: u128) -> MediaId {
    MediaId(Uuid::from_u128(number))
}

pub(super) fn minute(minutes: i64) -> Timestamp {
    Timestamp::from_millis(1_800_000_000_000 + minutes * 60_000).unwrap()
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Failing {
    Before,
    After,
}

#[derive(Default)]
pub(super) struct State {
    /// The user's photo.
    pub(super) current: Option<MediaId>,
    /// The photo of another user, which has come with an import.
    pub(super) of_another: Option<MediaId>,
    /// Each with the time of the announcement, and whether it is marked for removal.
    pub(super) announced: BTreeMap<MediaId, (Timestamp, bool)>,
    /// Each with the time at which it was stored.
    pub(super) objects: BTreeMap<MediaId, Timestamp>,
    /// The number of the call that fails, from 1, and whether it fails before or after its work.
    pub(super) failing: Option<(usize, Failing)>,
    calls: usize,
    ids: u128,
}

#[derive(Default)]
pub(super) struct Stores(Mutex<State>);

impl Stores {
    /// The user has the photo 1.
    pub(super) fn with_photo() -> Arc<Self> {
        let stores = Self::default();
        let mut state = stores.state();
        state.current = Some(photo(1));
        state.objects.insert(photo(1), minute(-60));
        drop(state);
        Arc::new(stores)
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// The use cases at `now`.
    pub(super) fn service(self: &Arc<Self>, now: Timestamp) -> PhotoService {
        let mut users = MockUsers::new();
        let stores = Arc::clone(self);
        users.expect_get().returning(move |id| {
            let photo_id = stores.state().current;
            Ok((id == USER).then(|| Versioned::unversioned(User { photo_id, ..user(1) })))
        });
        let images = self.images(now);
        PhotoService::new(Arc::new(users), self.clone(), images, Arc::new(At(now)))
    }

    /// The use cases of images at `now`.
    pub(super) fn images(self: &Arc<Self>, now: Timestamp) -> ImageService {
        let at = Arc::new(At(now));
        ImageService::new(self.clone(), self.clone(), self.clone(), at, self.clone())
    }

    /// Whether only the user's photo is stored and nothing is announced.
    pub(super) fn is_tidy(&self) -> bool {
        let state = self.state();
        state.announced.is_empty() && state.objects.keys().eq(&state.current)
    }

    async fn call<T, E: From<StoreError>>(
        &self,
        job: impl FnOnce(&mut State) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut has_waited = false;
        poll_fn(|context| {
            if std::mem::replace(&mut has_waited, true) {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
        let state = &mut *self.state();
        state.calls += 1;
        let outage = || Err(StoreError::Unavailable("away".to_owned()).into());
        match state.failing {
            Some((call, Failing::Before)) if call == state.calls => outage(),
            Some((call, Failing::After)) if call == state.calls => {
                job(state).and_then(|_| outage())
            }
            _ => job(state),
        }
    }
}

struct At(Timestamp);

impl Clock for At {
    fn now(&self) -> Timestamp {
        self.0
    }
}

/// Generates ids from 101 on.
impl Ids for Stores {
    fn next(&self) -> Uuid {
        let mut state = self.state();
        state.ids += 1;
        Uuid::from_u128(100 + state.ids)
    }
}

/// Empty bytes are not an image.
#[async_trait]
impl Images for Stores {
    async fn clean(&self, bytes: Vec<u8>) -> Result<CleanImage, ImageError> {
        match bytes.as_slice() {
            [] => Err(ImageError::Unusable),
            [0] => Err(ImageError::Busy(StoreError::Unavailable("no room".to_owned()))),
            _ => {
                let photo = Photo { format: ImageFormat::Png, bytes };
                Ok(CleanImage { photo, width: 1, height: 1 })
            }
        }
    }

    async fn codes(&self, _: Vec<u8>) -> Result<Vec<String>, ImageError> {
        Ok(Vec::new())
    }
}

#[async_trait]
impl Photos for Stores {
    async fn put(&self, id: MediaId, _: Photo) -> Result<(), StoreError> {
        self.call(|state| {
            assert_eq!(state.objects.insert(id, minute(0)), None, "an id that was used before");
            Ok(())
        })
        .await
    }

    async fn get(&self, id: MediaId) -> Result<Option<Photo>, StoreError> {
        let found = |state: &mut State| Ok(state.objects.contains_key(&id));
        let photo = |found: bool| found.then(|| Photo { format: ImageFormat::Png, bytes: vec![1] });
        self.call(found).await.map(photo)
    }

    async fn exists(&self, id: MediaId) -> Result<bool, StoreError> {
        self.call(|state| Ok(state.objects.contains_key(&id))).await
    }

    async fn delete(&self, id: MediaId) -> Result<(), StoreError> {
        self.call(|state| {
            let owned = [state.current, state.of_another];
            assert!(!owned.contains(&Some(id)), "a photo that its user has is removed");
            state.objects.remove(&id);
            Ok(())
        })
        .await
    }

    async fn all(&self) -> Result<Vec<(MediaId, Timestamp)>, StoreError> {
        self.call(|state| Ok(state.objects.clone().into_iter().collect())).await
    }
}

#[async_trait]
impl ImageOwners for Stores {
    async fn announce(&self, photo: MediaId, at: Timestamp) -> Result<(), StoreError> {
        self.call(|state| {
            state.announced.insert(photo, (at, false));
            Ok(())
        })
        .await
    }

    async fn mark_for_removal(
        &self,
        photos: Vec<MediaId>,
        at: Timestamp,
    ) -> Result<Vec<MediaId>, StoreError> {
        self.call(|state| {
            let all = [state.current, state.of_another];
            let (owned, marked): (Vec<_>, Vec<_>) =
                photos.into_iter().partition(|photo| all.contains(&Some(*photo)));
            state.announced.retain(|photo, _| !owned.contains(photo));
            for photo in &marked {
                state.announced.entry(*photo).or_insert((at, true)).1 = true;
            }
            Ok(marked)
        })
        .await
    }

    async fn end_announcements(&self, photos: Vec<MediaId>) -> Result<(), StoreError> {
        self.call(|state| {
            state.announced.retain(|photo, _| !photos.contains(photo));
            Ok(())
        })
        .await
    }

    async fn announced(&self, until: Timestamp, limit: u32) -> Result<Vec<MediaId>, StoreError> {
        self.call(|state| {
            let old = state.announced.iter().filter(|(_, (at, _))| *at < until);
            Ok(old.map(|(photo, _)| *photo).take(limit.try_into().unwrap()).collect())
        })
        .await
    }

    async fn owners(
        &self,
        after: Option<ImageOwner>,
        _: u32,
    ) -> Result<Vec<(ImageOwner, MediaId)>, StoreError> {
        self.call(|state| {
            let user = ImageOwner::User(USER);
            let owner = state.current.filter(|_| after.is_none_or(|after| after < user));
            Ok(owner.map(|photo| (user, photo)).into_iter().collect())
        })
        .await
    }

    async fn image_of(&self, owner: ImageOwner) -> Result<Option<MediaId>, StoreError> {
        self.call(|state| Ok(state.current.filter(|_| owner == ImageOwner::User(USER)))).await
    }
}

#[async_trait]
impl UserPhotos for Stores {
    async fn set(
        &self,
        user_id: UserId,
        photo: Option<MediaId>,
        by: Origin,
    ) -> Result<(User, Option<MediaId>), EditError> {
        self.call(|state| {
            if user_id != USER {
                return Err(EditError::Missing);
            }
            if let Some(photo) = photo {
                let open = state.announced.get(&photo).is_some_and(|(_, is_marked)| !is_marked);
                if !open {
                    return Err(StoreError::Unavailable("marked for removal".to_owned()).into());
                }
                state.announced.remove(&photo);
            }
            let old = std::mem::replace(&mut state.current, photo);
            state.announced.extend(old.map(|old| (old, (by.at, true))));
            Ok((User { photo_id: photo, ..user(1) }, old))
        })
        .await
    }
}

/// Runs the use case for this number of calls of the stores, then drops it, like a crash. Returns its
/// result if it ended before.
pub(super) fn cut_short<T>(use_case: impl Future<Output = T>, calls: usize) -> Option<T> {
    let mut use_case = pin!(use_case);
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..=calls {
        if let Poll::Ready(result) = use_case.as_mut().poll(&mut context) {
            return Some(result);
        }
    }
    None
}

/// Interleaves the calls of two use cases: each bit of `schedule` selects which one runs next.
pub(super) fn interleaved<A, B>(
    one: impl Future<Output = A>,
    other: impl Future<Output = B>,
    schedule: u32,
) -> (A, B) {
    let (mut one, mut other) = (pin!(one), pin!(other));
    let mut context = Context::from_waker(Waker::noop());
    let (mut first, mut second) = (None, None);
    let mut turn = 0;
    loop {
        let is_first = schedule.checked_shr(turn).unwrap_or(0) & 1 == 1;
        turn += 1;
        if (is_first || second.is_some()) && first.is_none() {
            if let Poll::Ready(result) = one.as_mut().poll(&mut context) {
                first = Some(result);
            }
        } else if second.is_none()
            && let Poll::Ready(result) = other.as_mut().poll(&mut context)
        {
            second = Some(result);
        }
        if let (Some(_), Some(_)) = (&first, &second) {
            return first.zip(second).unwrap();
        }
    }
}
