//! Mocked stores with a few users and their photos in memory.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use patrol_domain::{
    EditError, Existing, References, Resource, StoreError, UniqueValue, Versioned,
    access::Role,
    ids::{LocationId, MediaId, UserId, parse},
    photo::{
        CleanImage, ImageError, ImageFormat, MockImageOwners, MockImages, MockPhotos,
        MockUserPhotos, Photo,
    },
    user::{BatchEdit, MockUsers, User, UserStatus},
};

use crate::tests::{Ports, TestServer, USER};

/// An administrator with all members.
pub(crate) const ADA: &str = "0190a000-0000-7000-8000-000000000b01";
/// An employee.
pub(crate) const EVE: &str = "0190a000-0000-7000-8000-000000000b02";
/// The id of a user who does not exist.
pub(crate) const UNKNOWN: &str = "0190a000-0000-7000-8000-000000000fff";
/// The photo of [`ADA`].
pub(crate) const PHOTO: &str = "0190a000-0000-7000-8000-000000000501";
/// The location of [`ADA`].
pub(crate) const GATE: &str = "0190a000-0000-7000-8000-000000000101";
/// The id of a location that does not exist.
pub(crate) const MISSING_LOCATION: &str = "0190a000-0000-7000-8000-000000000199";
/// The PIN of [`ADA`].
pub(crate) const PIN: &str = "secret-pin";

fn user(id: &str) -> UserId {
    UserId(parse(id).unwrap())
}

/// A user with the required members only.
fn bare(id: &str, first_name: &str) -> User {
    User::new(user(id), first_name, "Guard", "en", Role::Employee)
}

/// [`ADA`].
pub(crate) fn ada() -> User {
    User {
        middle_name: Some("M.".to_owned()),
        employee_no: Some("N-1".to_owned()),
        employee_pin: Some(PIN.to_owned()),
        email: Some("ada@example.org".to_owned()),
        phone: Some("+100".to_owned()),
        language: "pt-BR".to_owned(),
        role: Role::Admin,
        photo_id: Some(MediaId(parse(PHOTO).unwrap())),
        location_ids: vec![LocationId(parse(GATE).unwrap())],
        tags: vec!["north".to_owned(), "night".to_owned()],
        linked: true,
        ..bare(ADA, "Ada")
    }
}

/// [`USER`].
pub(crate) fn own() -> User {
    bare(USER, "Boris")
}

/// Users and photos.
#[derive(Clone)]
pub(crate) struct Store {
    users: Arc<Mutex<Vec<User>>>,
    photos: Arc<Mutex<HashMap<MediaId, Photo>>>,
}

impl Store {
    /// A store with [`ada`], [`own`] and [`EVE`], whose number is `N-2`.
    pub(crate) fn new() -> Self {
        let eve = User { employee_no: Some("N-2".to_owned()), ..bare(EVE, "Eve") };
        let photo = Photo { format: ImageFormat::Jpeg, bytes: b"old pixels".to_vec() };
        let photos = HashMap::from([(MediaId(parse(PHOTO).unwrap()), photo)]);
        Self {
            users: Arc::new(Mutex::new(vec![ada(), own(), eve])),
            photos: Arc::new(Mutex::new(photos)),
        }
    }

    /// A test server with this store.
    pub(crate) fn server(&self) -> TestServer {
        TestServer::new(self.ports())
    }

    /// The ports of such a server.
    pub(crate) fn ports(&self) -> Ports {
        Ports {
            users: self.users(),
            user_photos: self.user_photos(),
            image_owners: image_owners(),
            photos: self.photos(),
            images: images(),
            ..Ports::default()
        }
    }

    /// All stored users.
    pub(crate) fn all(&self) -> Vec<User> {
        self.with(|users| users.clone())
    }

    /// The ids of all stored photos.
    pub(crate) fn photo_ids(&self) -> Vec<MediaId> {
        self.with_photos(|photos| photos.keys().copied().collect())
    }

    fn with<T>(&self, work: impl FnOnce(&mut Vec<User>) -> T) -> T {
        work(&mut self.users.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn with_photos<T>(&self, work: impl FnOnce(&mut HashMap<MediaId, Photo>) -> T) -> T {
        work(&mut self.photos.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn users(&self) -> MockUsers {
        let mut mock = MockUsers::new();
        let store = self.clone();
        mock.expect_get().returning(move |id| {
            store.with(|users| Ok(at(users, id).cloned().map(Versioned::unversioned)))
        });
        let store = self.clone();
        mock.expect_create().returning(move |new, _| {
            store.with(|users| {
                let created = (new.make)(&existing(users, &new.references))?;
                users.push(created.clone());
                Ok(created)
            })
        });
        let store = self.clone();
        mock.expect_update().returning(move |edit, _| {
            store.with(|users| {
                let existing = existing(users, &edit.references);
                let stored = at(users, edit.at.id).ok_or(EditError::Missing)?;
                if let Some(next) = (edit.change)(stored, &existing)? {
                    *stored = next;
                }
                Ok(Versioned::unversioned(stored.clone()))
            })
        });
        let store = self.clone();
        mock.expect_update_batch().returning(move |BatchEdit { ids, references, change }, _| {
            store.with(|users| {
                let unknown: Vec<_> = (0..).zip(&ids).collect();
                let unknown = unknown.into_iter().filter(|(_, id)| at(users, **id).is_none());
                let unknown: Vec<_> = unknown.map(|(place, _)| place).collect();
                if !unknown.is_empty() {
                    return Ok(Err(unknown));
                }
                let existing = existing(users, &references);
                let named: Vec<_> = ids.iter().filter_map(|id| at(users, *id).cloned()).collect();
                let next = change(&named, &existing)?;
                let next = next.into_iter().zip(named).map(|(next, old)| next.unwrap_or(old));
                let next: Vec<_> = next.collect();
                for next in &next {
                    if let Some(stored) = at(users, next.id) {
                        stored.clone_from(next);
                    }
                }
                Ok(Ok(next))
            })
        });
        mock
    }

    fn user_photos(&self) -> MockUserPhotos {
        let mut mock = MockUserPhotos::new();
        let store = self.clone();
        mock.expect_set().returning(move |id, photo, _| {
            store.with(|users| {
                let stored = at(users, id).ok_or(EditError::Missing)?;
                let old = std::mem::replace(&mut stored.photo_id, photo);
                Ok((stored.clone(), old))
            })
        });
        mock
    }

    fn photos(&self) -> MockPhotos {
        let mut mock = MockPhotos::new();
        let store = self.clone();
        mock.expect_put().returning(move |id, photo| {
            store.with_photos(|photos| photos.insert(id, photo));
            Ok(())
        });
        let store = self.clone();
        mock.expect_get().returning(move |id| Ok(store.with_photos(|all| all.get(&id).cloned())));
        let store = self.clone();
        mock.expect_delete().returning(move |id| {
            store.with_photos(|photos| photos.remove(&id));
            Ok(())
        });
        mock
    }
}

fn image_owners() -> MockImageOwners {
    let mut mock = MockImageOwners::new();
    mock.expect_announce().returning(|_, _| Ok(()));
    mock.expect_mark_for_removal().returning(|images, _| Ok(images));
    mock.expect_end_announcements().returning(|_| Ok(()));
    mock
}

/// Bytes that start with `PNG` are an image; there is no memory to decode `busy`.
fn images() -> MockImages {
    let mut mock = MockImages::new();
    mock.expect_clean().returning(|bytes| match bytes.as_slice() {
        b"busy" => Err(ImageError::Busy(StoreError::Unavailable("secret-room".to_owned()))),
        [b'P', b'N', b'G', ..] => {
            let photo = Photo { format: ImageFormat::Png, bytes };
            Ok(CleanImage { photo, width: 3, height: 4 })
        }
        _ => Err(ImageError::Unusable),
    });
    mock
}

fn at(users: &mut [User], id: UserId) -> Option<&mut User> {
    users.iter_mut().find(|stored| stored.id == id)
}

/// All named locations exist, except [`MISSING_LOCATION`].
fn existing(users: &[User], references: &References) -> Existing {
    let nowhere = parse(MISSING_LOCATION).unwrap();
    let locations = references.records.get(&Resource::Location).into_iter().flatten();
    let locations = locations.filter(|id| **id != nowhere).map(|id| LocationId(*id));
    let mut existing: Existing = locations.collect();
    for name in references.values.get(&UniqueValue::UserName).into_iter().flatten() {
        for user in users.iter().filter(|user| user.has_name(name)) {
            existing.add_owner(UniqueValue::UserName, name.clone(), user.id.0);
        }
    }
    let admins = users.iter().filter(|user| {
        references.active_admins && user.role == Role::Admin && user.status == UserStatus::Active
    });
    existing.active_admins = admins.map(|user| user.id).collect();
    existing
}
