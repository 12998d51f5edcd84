//! `patrol serve`.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use patrol_application::{ImageService, Operator, SignInService};
use patrol_domain::{Monitored, access::Authentication};
use patrol_http::{Build, Services, Tls};
use patrol_identity::{EitherTokens, JwtTokens, OpaqueTokens};
use patrol_photos::Place;
use patrol_site::{PublicUrl, SiteSettings};
use tokio::sync::Mutex;

use super::{
    demo::{self, Demo},
    walk::Walker,
};
use crate::{
    build::BUILD,
    command_line::Serve,
    descriptors,
    error::CommandError,
    jobs::{Job, RunsOn, repeat},
    log::Outbox,
    output,
    process::{Disks, Process},
    service_manager,
    settings::{Configuration, Database, PhotoSettings},
    signals::Signals,
    site_address,
    store::{Store, descriptors_of},
    store_size::LastStoreSize,
    wiring::{RoundSettings, Wiring},
};

const MINUTE: Duration = Duration::from_secs(60);
/// Signals within this time of the first one are the same request to stop: `timeout`, a terminal
/// and a supervisor signal both the process and its group.
const SAME_STOP: Duration = Duration::from_secs(1);

/// Serves until a signal arrives.
pub(super) async fn run(
    configuration: Configuration,
    options: &Serve,
    log: &Outbox,
    traces: Option<Arc<dyn Monitored>>,
) -> Result<(), CommandError> {
    let mut signals = Signals::listen()?;
    // Before anything is created or bound.
    let tls = configuration.tls.clone().map(Tls::open).transpose();
    let tls = tls.map_err(CommandError::Usage)?.map(Arc::new);
    let limit = descriptors::raise_limit();
    let wanted = configuration.http.connections;
    let reserved = descriptors_of(&configuration)?;
    let connections = descriptors::connections(wanted, limit, reserved);
    if connections < wanted {
        tracing::info!(
            connections,
            "fewer connections than PATROL_CONNECTIONS: the limit of open files is {}",
            limit.unwrap_or_default()
        );
    }
    let listen = configuration.http.listen;
    let unusable = |error: std::io::Error| {
        CommandError::Failed(format!(
            "cannot listen on {listen}: {error}; choose another address with --listen"
        ))
    };
    // Bound before the store is created, so that a server that cannot listen leaves no files.
    let bound = patrol_http::bind(&configuration.http).map_err(unusable)?;
    let address = bound.local_addr().map_err(unusable)?;
    let store = tokio::select! {
        opened = Store::for_server(&configuration) => opened?,
        signal = signals.next() => {
            tracing::info!(signal, "stopped before the store was open");
            return Ok(());
        }
    };
    let Configuration {
        provider,
        database,
        http,
        limits,
        photos,
        events_keep,
        schedule_horizon,
        presence_radius,
        punctuality,
        time_zone,
        site,
        ..
    } = configuration;
    let http = patrol_http::Settings { connections, limits, photo_pixels: photos.pixels, ..http };
    let listener = bound.listen().map_err(unusable)?;
    let wiring = Wiring::with_store(store, limits);
    let sign_ins = wiring.sign_ins(site.sessions);
    let disks = disks(&database, &photos);
    let photos = wiring.photos(&photos)?;
    let local = site_address::local_origin(address, tls.is_some());
    let public_url = site.public_url.unwrap_or_else(|| local.clone());
    let url = site.enabled.then(|| public_url.clone());
    let settings = SiteSettings {
        public_url: PublicUrl::new(public_url.clone()),
        session_max: site.sessions.max,
        time_zone: time_zone.clone(),
        map_tiles: site.map_tiles,
    };
    let (opaque, size) = (wiring.opaque_tokens(), wiring.store_size(events_keep));
    let jwt = provider.map(|provider| wiring.jwt_tokens(provider)).transpose()?;
    let authentication: Arc<dyn Authentication> = match jwt.clone() {
        None => opaque.clone(),
        Some(jwt) => Arc::new(EitherTokens { opaque: Arc::clone(&opaque), jwt }),
    };
    let horizon = schedule_horizon;
    let rounds = RoundSettings { horizon, radius: presence_radius, punctuality, time_zone };
    let mut services = wiring.services(authentication, &photos, rounds, public_url);
    let has_site = site.enabled;
    let site = has_site.then(|| wiring.site(services.clone(), sign_ins.clone(), &photos, settings));
    let demo = match options.demo {
        true => Some(demo::prepare(&services, &wiring.data_sets(), &sign_ins, url).await?),
        false => None,
    };
    tracing::info!(%address, "listening");
    let Build { version, commit } = BUILD;
    tracing::info!(version, commit, store = %database, tls = tls.is_some(), "serving");
    if let Some(demo) = &demo {
        output::answer(&demo.greeting(&format!("{local}/v1")))?;
    }
    let walker = demo.as_ref().and_then(Demo::token).filter(|_| options.demo_walk);
    let walker = walker.map(|token| {
        let (clock, ids) = (Arc::clone(&services.clock), Arc::clone(&services.ids));
        Walker::new(&format!("{local}/v1"), token, clock, ids)
    });

    let (tokens, images) = (Arc::clone(&opaque), photos.images);
    let mut jobs = server_jobs(&services, images, sign_ins, tokens, Arc::clone(&size), events_keep);
    jobs.extend(walker.transpose()?.map(walk_demo));
    jobs.extend(tls.clone().map(read_certificate));
    jobs.extend(jwt.map(read_keys));
    let jobs = wiring.start(jobs);
    services.monitored.extend([
        jobs.monitored(),
        size,
        Arc::new(log.clone()),
        Arc::new(Process),
        Arc::new(disks),
    ]);
    services.monitored.extend(traces);
    services.monitored.extend(tls.clone().map(|tls| -> Arc<dyn Monitored> { tls }));
    service_manager::ready();
    let served =
        patrol_http::serve(listener, http, services, site, tls, stop_signal(signals, log.clone()))
            .await;
    jobs.stop().await;
    if let Err(error) = opaque.flush().await {
        tracing::warn!(%error, "the last uses of tokens are not stored");
    }
    wiring.close().await;
    served.map_err(|error| CommandError::Failed(format!("cannot serve: {error}; report this")))?;
    tracing::info!("stopped");
    Ok(())
}

/// Completes at the first signal. A later signal ends the process at once, unless it comes within
/// [`SAME_STOP`] of the first.
async fn stop_signal(mut signals: Signals, log: Outbox) {
    let signal = signals.next().await;
    let asked = Instant::now();
    tracing::info!(signal, "asked to stop");
    tokio::spawn(async move {
        let signal = loop {
            let signal = signals.next().await;
            if asked.elapsed() >= SAME_STOP {
                break signal;
            }
        };
        tracing::warn!(signal, "stopped at once");
        log.flush();
        std::process::exit(1);
    });
}

/// The jobs of every server.
fn server_jobs(
    services: &Services,
    images: ImageService,
    sign_ins: SignInService,
    tokens: Arc<OpaqueTokens>,
    size: Arc<LastStoreSize>,
    events_keep: Duration,
) -> Vec<Job> {
    vec![
        // One write for all tokens, so that read requests do not wait for writes.
        Job {
            name: "store-last-uses",
            period: Duration::from_secs(5),
            runs_on: RunsOn::EveryNode,
            on_failure: "the last uses of tokens are not stored",
            work: repeat(tokens, |tokens| async move { Ok(tokens.flush().await?) }),
        },
        // The images of interrupted uploads.
        Job {
            name: "tidy-photos",
            period: 10 * MINUTE,
            runs_on: RunsOn::OneNode,
            on_failure: "left-over photos are not removed",
            work: repeat(images, |images| async move {
                let removed = images.tidy(Operator).await?;
                if removed > 0 {
                    tracing::info!(removed, "removed unused photos");
                }
                Ok(())
            }),
        },
        Job {
            name: "remove-unused-media",
            period: 60 * MINUTE,
            runs_on: RunsOn::OneNode,
            on_failure: "media that nothing names are not removed",
            work: repeat(services.media.clone(), |media| async move {
                let removed = media.remove_unused(Operator).await?;
                if removed > 0 {
                    tracing::info!(removed, "removed media that nothing named for 7 days");
                }
                Ok(())
            }),
        },
        Job {
            name: "forget-events",
            period: 60 * MINUTE,
            runs_on: RunsOn::OneNode,
            on_failure: "old events are not deleted",
            work: repeat(services.events.clone(), move |events| async move {
                let deleted = events.delete_old(Operator, events_keep).await?;
                if deleted > 0 {
                    tracing::info!(deleted, "deleted old events of the log of changes");
                }
                Ok(())
            }),
        },
        Job {
            name: "forget-idempotency-keys",
            period: 10 * MINUTE,
            runs_on: RunsOn::OneNode,
            on_failure: "expired idempotency keys are not deleted",
            work: repeat(
                (Arc::clone(&services.idempotency_keys), Arc::clone(&services.clock)),
                |(keys, clock)| async move {
                    while keys.delete_expired(clock.now()).await? > 0 {}
                    Ok(())
                },
            ),
        },
        // Expired sessions, failed sign-ins that no longer count, and old invitations.
        Job {
            name: "forget-sign-ins",
            period: 10 * MINUTE,
            runs_on: RunsOn::OneNode,
            on_failure: "expired sessions and invitations are not deleted",
            work: repeat(sign_ins, |sign_ins| async move {
                sign_ins.delete_expired(Operator).await?;
                Ok(())
            }),
        },
        // Every node makes executions, so that a change takes effect within seconds also when a
        // node has died; the store makes each of them once.
        Job {
            name: "make-rounds",
            period: Duration::from_secs(2),
            runs_on: RunsOn::EveryNode,
            on_failure: "rounds are not made from schedules",
            work: repeat(services.rounds.clone(), |rounds| async move {
                Ok(rounds.make(Operator).await?)
            }),
        },
        // For the metrics, because they must not wait for the store.
        Job {
            name: "measure-store",
            period: MINUTE,
            runs_on: RunsOn::EveryNode,
            on_failure: "the size of the store cannot be measured",
            work: repeat(size, |size| async move { Ok(size.measure().await?) }),
        },
    ]
}

/// Reads the keys of the identity provider at start and once a minute, so that withdrawn keys are
/// refused soon.
fn read_keys(tokens: Arc<JwtTokens>) -> Job {
    Job {
        name: "read-keys",
        period: MINUTE,
        runs_on: RunsOn::EveryNode,
        on_failure: "the keys of the identity provider cannot be read; the known ones stay in use",
        work: repeat(tokens, |tokens| async move { Ok(tokens.refresh().await?) }),
    }
}

/// Reads the certificate and its key again.
fn read_certificate(tls: Arc<Tls>) -> Job {
    Job {
        name: "read-certificate",
        period: Duration::from_secs(2),
        runs_on: RunsOn::EveryNode,
        on_failure: "the certificate cannot be read; the known one stays in use",
        work: repeat(tls, |tls| async move {
            Ok(tokio::task::spawn_blocking(move || tls.refresh()).await?)
        }),
    }
}

/// Walks the rounds of the demo that are due. It looks for them every 15 seconds.
fn walk_demo(walker: Walker) -> Job {
    Job {
        name: "walk-demo",
        period: Duration::from_secs(1),
        runs_on: RunsOn::EveryNode,
        on_failure: "the rounds of the demo are not walked",
        work: repeat(Arc::new(Mutex::new(walker)), |walker| async move {
            Ok(walker.lock().await.go_on().await?)
        }),
    }
}

/// The file systems of the store and of the photos, if they are on this machine.
fn disks(database: &Database, photos: &PhotoSettings) -> Disks {
    let store = match database {
        Database::Sqlite(path) => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            Some(("store", folder.unwrap_or(Path::new(".")).to_owned()))
        }
        Database::Postgres(_) => None,
    };
    let photos = match &photos.place {
        Place::Folder(path) => Some(("photos", path.clone())),
        Place::Memory | Place::S3 { .. } => None,
    };
    Disks { places: store.into_iter().chain(photos).collect() }
}
