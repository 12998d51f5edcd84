//! Cases of S3: prefixes, pages, credentials, buckets, servers that fail.

use std::time::{Duration, Instant};

use futures_util::TryStreamExt as _;
use patrol_contract::photos::picture;
use patrol_domain::{
    StoreError,
    ids::{MediaId, Uuid},
    media::MediaFiles as _,
    photo::{ImageFormat, Photo, Photos},
};
use patrol_photos::{OpenError, PhotoStore};
use patrol_test_servers::s3::Server;

use crate::{below, open};

/// Far more time than a store may take to report that it is unavailable, even on a busy machine.
const LONG: Duration = Duration::from_secs(60);

fn id(number: u128) -> MediaId {
    MediaId(Uuid::from_u128(number))
}

fn photo() -> Photo {
    picture(ImageFormat::Png, 1000)
}

fn store(server: &Server) -> PhotoStore {
    open(&below("patrol", server.bucket()), server.environment()).unwrap()
}

/// The environment for the server, with one variable changed.
fn but(server: &Server, name: &str, value: &str) -> Vec<(String, String)> {
    let change = |(known, old): (String, String)| {
        let value = if known == name { value.to_owned() } else { old };
        (known, value)
    };
    server.environment().into_iter().map(change).collect()
}

/// The result of each operation.
async fn ask(store: &PhotoStore) -> [Result<(), StoreError>; 4] {
    [
        store.put(id(9), photo()).await,
        store.get(id(9)).await.map(drop),
        store.delete(id(9)).await,
        store.all().await.map(drop),
    ]
}

/// S3 wants parts of at least 5 MiB, but for the last.
#[tokio::test]
async fn a_large_file_is_sent_in_parts() {
    let server = Server::start();
    let store = store(&server);
    let content: Vec<u8> = (0_u32..3 << 20).flat_map(u32::to_le_bytes).collect();
    let mut file = store.begin(id(1)).await.unwrap();
    for piece in content.chunks(300_007) {
        file.append(piece).await.unwrap();
    }
    file.store(id(1)).await.unwrap();
    let length = u64::try_from(content.len()).unwrap();
    let stored = store.read(id(1), 0..length).await.unwrap().unwrap();
    assert!(stored.try_concat().await.unwrap() == content);
}

#[tokio::test]
async fn only_what_is_below_the_prefix_is_looked_at() {
    let server = Server::start();
    let others = [
        id(2).to_string(),
        format!("patrol2/{}", id(3)),
        format!("other/patrol/{}", id(4)),
        "patrol/notes.txt".to_owned(),
    ];
    for key in &others {
        server.place(key, &photo().bytes);
    }
    let store = store(&server);
    store.put(id(1), photo()).await.unwrap();
    assert!(server.keys().contains(&format!("patrol/{}", id(1))), "{:?}", server.keys());
    let all = store.all().await.unwrap();
    assert_eq!(all.into_iter().map(|(id, _)| id).collect::<Vec<_>>(), [id(1)]);
    for number in 1..=4 {
        let found = store.get(id(number)).await.unwrap();
        assert_eq!(found.is_some(), number == 1, "{number}");
        store.delete(id(number)).await.unwrap();
    }
    let mut left = others;
    left.sort();
    assert_eq!(server.keys(), left);
}

#[tokio::test]
async fn more_photos_are_listed_than_s3_tells_at_once() {
    let server = Server::start();
    for number in 1..=2_100 {
        server.place(&format!("patrol/{}", id(number)), b"x");
    }
    let mut all: Vec<_> =
        store(&server).all().await.unwrap().into_iter().map(|(id, _)| id).collect();
    all.sort_unstable();
    assert!(all.into_iter().eq((1..=2_100).map(id)));
}

#[tokio::test]
async fn wrong_credentials_are_told_and_never_shown() {
    let server = Server::start();
    for (name, wrong) in [("AWS_SECRET_ACCESS_KEY", "hunter2"), ("AWS_ACCESS_KEY_ID", "hunter2")] {
        let place = below("patrol", server.bucket());
        let store = open(&place, but(&server, name, wrong)).unwrap();
        for answer in ask(&store).await {
            let Err(StoreError::Internal(told)) = answer else { panic!("{answer:?}") };
            assert_eq!(told, "photos: access is denied");
        }
    }
    assert!(server.keys().is_empty());
}

#[tokio::test]
async fn a_bucket_that_is_not_there_is_told() {
    let server = Server::start();
    let store = open(&below("patrol", "nowhere"), server.environment()).unwrap();
    for answer in ask(&store).await {
        let Err(StoreError::Internal(told)) = answer else { panic!("{answer:?}") };
        assert_eq!(told, "photos: there is no such bucket");
    }
}

#[test]
fn an_environment_that_does_not_fit_together_is_refused_and_never_shown() {
    let environment = [("AWS_SECRET_ACCESS_KEY".to_owned(), "hunter2".to_owned())];
    let opened = open(&below("patrol", "bucket"), environment);
    let Err(error @ OpenError::S3) = opened else { panic!("opened") };
    assert!(!format!("{error:?} {error}").contains("hunter2"));
}

/// Every operation returns `Unavailable` in time.
async fn check_unavailable(store: &PhotoStore) {
    let start = Instant::now();
    for answer in ask(store).await {
        assert!(matches!(answer, Err(StoreError::Unavailable(_))), "{answer:?}");
        let told = answer.unwrap_err().to_string();
        assert!(!told.contains("127.0.0.1") && !told.contains("patrol/"), "{told}");
    }
    assert!(start.elapsed() < 4 * LONG, "{:?}", start.elapsed());
}

#[tokio::test]
async fn a_server_that_goes_away_is_missed_until_it_is_back() {
    let mut server = Server::start();
    let store = store(&server);
    store.put(id(1), photo()).await.unwrap();
    for _ in 0..2 {
        server.stop();
        check_unavailable(&store).await;
        server.resume_service();
        assert!(store.get(id(1)).await.unwrap() == Some(photo()));
        for answer in ask(&store).await {
            answer.unwrap();
        }
    }
}

#[tokio::test]
async fn a_server_that_hangs_is_given_up() {
    let server = Server::start();
    let store = store(&server);
    store.put(id(1), photo()).await.unwrap();
    server.freeze();
    let start = Instant::now();
    let (put, found) = tokio::join!(store.put(id(2), photo()), store.get(id(1)));
    assert!(matches!(put, Err(StoreError::Unavailable(_))), "{put:?}");
    assert!(matches!(found, Err(StoreError::Unavailable(_))));
    assert!(start.elapsed() < LONG, "{:?}", start.elapsed());
    server.thaw();
    assert!(store.get(id(1)).await.unwrap() == Some(photo()));
    store.put(id(3), photo()).await.unwrap();
}

#[tokio::test]
async fn an_object_that_is_no_picture_is_corrupt() {
    let server = Server::start();
    server.place(&format!("patrol/{}", id(1)), b"text");
    assert!(matches!(store(&server).get(id(1)).await, Err(StoreError::Corrupt { .. })));
}
