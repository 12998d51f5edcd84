//! `patrol serve`.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use actix_web::rt;
use patrol_application::PhotoService;
use patrol_identity::OpaqueTokens;
use patrol_sqlite::{LockPatience, Settings, Store};
use tokio::sync::oneshot;

use super::demo;
use crate::{
    error::CommandError,
    log::Outbox,
    output,
    settings::Configuration,
    signals::Signals,
    wiring::{Wiring, store_settings},
};

/// How often the last uses of tokens are stored.
const MINUTE: Duration = Duration::from_secs(60);
/// How often photos are removed that nobody wants any more.
const TIDY: Duration = Duration::from_secs(10 * 60);

/// Serves until a signal comes.
pub(super) async fn run(
    configuration: Configuration,
    with_demo: bool,
    log: &Outbox,
) -> Result<(), CommandError> {
    let mut signals = Signals::listen()?;
    let settings = store_settings(&configuration, LockPatience::Server)?;
    let path = settings.path.clone();
    let store = tokio::select! {
        opened = open(settings) => opened?,
        signal = signals.next() => {
            tracing::info!(signal, "stopped before the store was open");
            return Ok(());
        }
    };
    for warning in store.compile_option_warnings() {
        tracing::warn!("{warning}: it works, only slower; build from the root of the repository");
    }
    let Configuration { http, limits, photos, database: _, log: _ } = configuration;
    let listen = http.listen;
    let unusable = |error: std::io::Error| {
        CommandError::Failed(format!(
            "cannot listen on {listen}: {error}; choose another address with --listen"
        ))
    };
    let listener = patrol_http::bind(&http).map_err(unusable)?;
    let address = listener.local_addr().map_err(unusable)?;
    let wiring = Wiring::over(store, limits);
    let photos = wiring.photos(&photos)?;
    let demo = if with_demo { Some(demo::prepare(&wiring).await?) } else { None };
    tracing::info!(%address, "listening");
    tracing::info!(version = env!("CARGO_PKG_VERSION"), store = %path.display(), "serving");
    if let Some(demo) = demo {
        output::answer(&demo.greeting(&base_url(address)))?;
    }

    let authentication = wiring.authentication();
    let services = wiring.services(Arc::clone(&authentication), photos.clone());
    let noting = rt::spawn(note_uses(Arc::clone(&authentication)));
    let tidying = rt::spawn(tidy(photos));
    let served = patrol_http::serve(listener, http, services, ended(signals, log.clone())).await;
    noting.abort();
    tidying.abort();
    if let Err(error) = authentication.flush().await {
        tracing::warn!(%error, "the last uses of tokens are not stored");
    }
    wiring.close().await;
    served.map_err(|error| CommandError::Failed(format!("cannot serve: {error}; report this")))?;
    tracing::info!("stopped");
    Ok(())
}

/// Opens the store on a thread of its own, since that may wait for another process for 30 s.
async fn open(settings: Settings) -> Result<Store, CommandError> {
    let (to, opened) = oneshot::channel();
    let path = settings.path.clone();
    std::thread::Builder::new()
        .name("open".to_owned())
        // Nobody waits any longer when a signal came meanwhile.
        .spawn(move || drop(to.send(Store::open(&settings))))
        .map_err(|error| CommandError::Failed(format!("cannot start a thread: {error}")))?;
    tokio::pin!(opened);
    let mut seconds = 0;
    loop {
        tokio::select! {
            opened = &mut opened => return match opened {
                Ok(opened) => Ok(opened?),
                Err(_) => Err(CommandError::Failed("the store could not be opened".to_owned())),
            },
            () = tokio::time::sleep(Duration::from_secs(1)) => {
                seconds += 1;
                if seconds % 5 == 1 {
                    tracing::warn!(
                        path = %path.display(), seconds,
                        "the store is busy: another process has locked it; trying for 30 s"
                    );
                }
            }
        }
    }
}

/// Completes with the first signal; a second one ends the process at once.
async fn ended(mut signals: Signals, log: Outbox) {
    let signal = signals.next().await;
    tracing::info!(signal, "asked to stop");
    tokio::spawn(async move {
        let signal = signals.next().await;
        tracing::warn!(signal, "stopped at once");
        log.flush();
        std::process::exit(1);
    });
}

/// Stores the last uses of tokens once a minute, so that reading does not write.
async fn note_uses(authentication: Arc<OpaqueTokens>) {
    loop {
        tokio::time::sleep(MINUTE).await;
        if let Err(error) = authentication.flush().await {
            tracing::warn!(%error, "the last uses of tokens are not stored; trying again");
        }
    }
}

/// Removes what uploads have left behind that were cut short, at start and from time to time.
async fn tidy(photos: PhotoService) {
    loop {
        match photos.tidy().await {
            Ok(0) => {}
            Ok(removed) => tracing::info!(removed, "removed photos that no user has"),
            Err(error) => tracing::warn!(%error, "photos are not tidied up; trying again"),
        }
        tokio::time::sleep(TIDY).await;
    }
}

/// Where a client on this machine finds the API.
fn base_url(address: SocketAddr) -> String {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    format!("http://{}/v1", SocketAddr::new(ip, address.port()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_that_is_printed_can_be_called() {
        for (bound, url) in [
            ("127.0.0.1:8080", "http://127.0.0.1:8080/v1"),
            ("0.0.0.0:80", "http://127.0.0.1:80/v1"),
            ("[::]:8080", "http://[::1]:8080/v1"),
            ("192.0.2.7:9", "http://192.0.2.7:9/v1"),
        ] {
            assert_eq!(base_url(bound.parse().unwrap()), url);
        }
    }
}
