//! Parsers for the values of settings: numbers, sizes, durations, addresses.

use std::{
    fmt,
    net::{SocketAddr, ToSocketAddrs},
    ops::RangeInclusive,
    path::PathBuf,
    time::Duration,
};

use patrol_domain::schedule::TimeZone;
use patrol_photos::Place;
use patrol_site::MapTiles;
use reqwest::Url;

/// A whole number within `range`.
pub(crate) fn number<T>(text: &str, range: RangeInclusive<T>) -> Result<T, String>
where
    T: std::str::FromStr + PartialOrd + fmt::Display,
{
    text.trim().parse().ok().filter(|number| range.contains(number)).ok_or_else(|| {
        format!("`{text}` is not a whole number from {} to {}", range.start(), range.end())
    })
}

/// The IANA name of a time zone.
pub(crate) fn time_zone(text: &str) -> Result<TimeZone, String> {
    let known = TimeZone::named(text.trim());
    known.ok_or_else(|| format!("`{text}` is not an IANA time zone such as `Europe/London`"))
}

/// `true` or `false`.
pub(crate) fn boolean(text: &str) -> Result<bool, String> {
    text.trim().parse().map_err(|_| format!("`{text}` is neither true nor false"))
}

/// Where people reach the program. The error does not repeat the value, which may contain a password.
pub(crate) fn public_url(text: &str) -> Result<String, String> {
    let is_web = |origin: &str| origin.starts_with("http://") || origin.starts_with("https://");
    let origin = patrol_http::origin(text.trim()).ok();
    origin.filter(|origin| is_web(origin)).ok_or_else(|| {
        "it has to be http:// or https:// and a host, with a port if it is not the default one, \
         without a path"
            .to_owned()
    })
}

/// The address of the tiles of maps. The error does not repeat the value, which may contain a key.
pub(crate) fn map_tiles(text: &str) -> Result<MapTiles, String> {
    let expected = || {
        "has to be a URL such as https://tiles.example.org/{z}/{x}/{y}.png, with {z}, {x} and {y} in \
         its path or parameters and without a user"
            .to_owned()
    };
    let template = text.trim();
    let url = Url::parse(template).map_err(|_| expected())?;
    let is_web = matches!(url.scheme(), "http" | "https");
    let has_user = !url.username().is_empty() || url.password().is_some();
    let is_visible = template.bytes().all(|byte| byte.is_ascii_graphic());
    let has_place = |place| template.matches(place).count() == 1;
    let has_places = ["{z}", "{x}", "{y}"].into_iter().all(has_place);
    // No other place, which nothing would fill, and none in the host, which pages have to name.
    let has_others = template.matches('{').count() > 3 || url.authority().contains(['{', '}']);
    if !is_web || has_user || !is_visible || !has_places || has_others {
        return Err(expected());
    }
    let origin = url.origin().ascii_serialization();
    Ok(MapTiles { template: template.to_owned(), origin })
}

/// A number of bytes: a whole number, optionally with KiB, MiB or GiB.
pub(crate) fn size(text: &str, range: RangeInclusive<usize>) -> Result<usize, String> {
    let trimmed = text.trim();
    let units = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)];
    let (digits, unit) = units
        .into_iter()
        .find_map(|(name, unit)| Some((trimmed.strip_suffix(name)?.trim_end(), unit)))
        .unwrap_or((trimmed, 1));
    let bytes = digits.parse().ok().and_then(|count: usize| count.checked_mul(unit));
    bytes.filter(|bytes| range.contains(bytes)).ok_or_else(|| {
        let (least, most) = (range.start(), range.end());
        format!("`{text}` is not a size such as `2 MiB`, from {least} to {most} bytes")
    })
}

/// A number of bytes, in the form of [`size`].
pub(crate) fn bytes(text: &str, range: RangeInclusive<usize>) -> Result<u64, String> {
    Ok(u64::try_from(size(text, range)?).unwrap_or(u64::MAX))
}

/// A duration above zero: a number with s, m, h or d, for example `90d`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let seconds = |text: &str| {
        let unit = match text.chars().next_back()? {
            's' => 1,
            'm' => 60,
            'h' => 60 * 60,
            'd' => 24 * 60 * 60,
            _ => return None,
        };
        let digits = text.get(..text.len().checked_sub(1)?)?;
        // `parse` alone would accept a sign.
        let digits = Some(digits).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        digits?.parse::<u64>().ok()?.checked_mul(unit)
    };
    match seconds(text.trim()) {
        Some(seconds) if seconds > 0 => Ok(Duration::from_secs(seconds)),
        _ => Err(format!("`{text}` is not a number above 0 with s, m, h or d, such as `90d`")),
    }
}

/// A duration of at most `most`.
pub(crate) fn duration_up_to(text: &str, most: Duration) -> Result<Duration, String> {
    let length = duration(text)?;
    if length > most {
        return Err(format!("`{text}` is more than {} s", most.as_secs()));
    }
    Ok(length)
}

/// A duration of at most `most`, or `0s`.
pub(crate) fn pause_up_to(text: &str, most: Duration) -> Result<Duration, String> {
    if text.trim() == "0s" { Ok(Duration::ZERO) } else { duration_up_to(text, most) }
}

/// An address and a port. A host name is resolved.
pub(crate) fn address(text: &str) -> Result<SocketAddr, String> {
    let found = text.trim().to_socket_addrs().ok().and_then(|mut found| found.next());
    found.ok_or_else(|| {
        format!("`{text}` is not an address of this machine and a port, such as `127.0.0.1:8080`")
    })
}

/// A name that is not empty.
pub(crate) fn named(text: &str) -> Result<String, String> {
    if text.trim().is_empty() { Err("it is empty".to_owned()) } else { Ok(text.to_owned()) }
}

/// The base URL of a collector of traces, without a slash at its end.
pub(crate) fn collector(text: &str) -> Result<String, String> {
    // The text is not quoted, because it may contain a password.
    let expected = || {
        "has to be a URL such as http://127.0.0.1:4318, without a password or parameters".to_owned()
    };
    let url = Url::parse(text.trim()).map_err(|_| expected())?;
    let has_more = [url.password(), url.query(), url.fragment()].iter().any(Option::is_some);
    if has_more || !url.username().is_empty() || !matches!(url.scheme(), "http" | "https") {
        return Err(expected());
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

/// A share, 0 to 1.
pub(crate) fn ratio(text: &str) -> Result<f64, String> {
    let ratio = text.trim().parse().ok().filter(|ratio| (0.0..=1.0).contains(ratio));
    ratio.ok_or_else(|| format!("`{text}` is not a number from 0 to 1"))
}

/// A distance in metres, at most that between two places on earth.
pub(crate) fn metres(text: &str) -> Result<f64, String> {
    let metres = text.trim().parse().ok().filter(|metres| (0.0..=20_100_000.0).contains(metres));
    metres.ok_or_else(|| format!("`{text}` is not a number of metres from 0 to 20100000"))
}

/// The location of the store.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Database {
    /// The path of a SQLite file.
    Sqlite(PathBuf),
    /// The URL of a PostgreSQL database. It may contain a password, so there is no `Debug`.
    Postgres(String),
}

/// Hides the URL, which may contain a password.
impl fmt::Display for Database {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => path.display().fmt(out),
            Self::Postgres(_) => out.write_str("PostgreSQL"),
        }
    }
}

/// `sqlite:PATH` or `postgres://…`. Errors never quote the value, which may contain a password.
pub(crate) fn database(text: &str) -> Result<Database, String> {
    const FORM: &str = "it has to be `sqlite:PATH`, such as `sqlite:data/patrol.db`, or \
                        `postgres://USER:PASSWORD@HOST/DATABASE`";
    if text.starts_with("postgres://") || text.starts_with("postgresql://") {
        return Ok(Database::Postgres(text.to_owned()));
    }
    let Some(path) = text.strip_prefix("sqlite:") else {
        return Err(FORM.to_owned());
    };
    // `sqlite://data/x.db`, a form that some libraries use, would mean the file `/data/x.db`.
    let host = path.strip_prefix("//").is_some_and(|rest| !rest.starts_with('/'));
    if path.is_empty() || host || path == ":memory:" {
        return Err(format!("{FORM}; a path, without `//` and not in memory"));
    }
    Ok(Database::Sqlite(PathBuf::from(path)))
}

/// `file:PATH`, `memory:` or `s3://BUCKET/PREFIX`. Errors never quote the value, which may contain
/// a password by mistake.
pub(crate) fn photos(text: &str) -> Result<Place, String> {
    const FORM: &str = "it has to be `file:PATH`, such as `file:data/photos`, \
                        `s3://BUCKET/PREFIX`, or `memory:`";
    if text == "memory:" {
        return Ok(Place::Memory);
    }
    if let Some(rest) = text.strip_prefix("s3://") {
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
        let names = [bucket].into_iter().chain(prefix.split('/'));
        if bucket.is_empty() || !names.flat_map(str::bytes).all(letter) {
            return Err(format!(
                "{FORM}; with letters, digits, `-`, `.` and `_`, and credentials in AWS_ variables"
            ));
        }
        let (bucket, prefix) = (bucket.to_owned(), prefix.trim_matches('/').to_owned());
        return Ok(Place::S3 { bucket, prefix });
    }
    let path = text.strip_prefix("file:").filter(|path| !path.is_empty());
    // `file://data/photos`, a form that some programs use, would mean the folder `/data/photos`.
    let host = |path: &&str| path.strip_prefix("//").is_some_and(|rest| !rest.starts_with('/'));
    match path.filter(|path| !host(path)) {
        Some(path) => Ok(Place::Folder(PathBuf::from(path))),
        None => Err(FORM.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_a_number_with_a_unit() {
        for (text, seconds) in
            [("1s", 1), ("90s", 90), ("15m", 900), ("36h", 129_600), ("90d", 7_776_000)]
        {
            assert_eq!(duration(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        for bad in [
            "",
            "d",
            "90",
            "0d",
            "-1d",
            "+1d",
            "1.5h",
            "1w",
            "1D",
            "1 d",
            "1дн",
            "1д",
            "213503982334602d",
            "99999999999999999999s",
        ] {
            assert!(duration(bad).unwrap_err().contains(&format!("`{bad}`")), "{bad}");
        }
        assert!(duration_up_to("61m", Duration::from_secs(3600)).is_err());
        assert!(duration_up_to("60m", Duration::from_secs(3600)).is_ok());
    }

    #[test]
    fn a_time_zone_has_the_exact_name_of_the_database() {
        assert_eq!(time_zone(" Europe/Berlin ").unwrap().name(), "Europe/Berlin");
        for bad in ["", "europe/berlin", "CET+1", "+01:00", "Local"] {
            assert!(time_zone(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_size_is_a_number_of_bytes_or_of_a_binary_unit() {
        let range = 1..=usize::MAX;
        for (text, bytes) in [
            ("17", 17),
            ("2 MiB", 2_097_152),
            ("2MiB", 2_097_152),
            (" 32 KiB ", 32_768),
            ("1GiB", 1_073_741_824),
        ] {
            assert_eq!(size(text, range.clone()), Ok(bytes), "{text}");
        }
        for bad in ["", "MiB", "2 MB", "2mib", "-1", "1.5 MiB", "0", "99999999999999 GiB"] {
            assert!(size(bad, range.clone()).is_err(), "{bad}");
        }
        assert!(size("11", 1..=10).is_err());
    }

    #[test]
    fn a_number_lies_within_its_range() {
        assert_eq!(number("4", 1..=4), Ok(4));
        for bad in ["", "0", "5", "-1", "four", "1.0"] {
            let error = number::<u16>(bad, 1..=4).unwrap_err();
            assert_eq!(error, format!("`{bad}` is not a whole number from 1 to 4"));
        }
    }

    #[test]
    fn an_address_has_a_port() {
        assert_eq!(address("127.0.0.1:0"), Ok(([127, 0, 0, 1], 0).into()));
        assert!(address("[::1]:8080").unwrap().is_ipv6());
        for bad in ["", "8080", "127.0.0.1", "127.0.0.1:99999", "127.0.0.1:http"] {
            assert!(address(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_database_is_a_file_and_no_error_shows_a_password() {
        let file = |path: &str| Database::Sqlite(PathBuf::from(path));
        assert!(database("sqlite:data/patrol.db") == Ok(file("data/patrol.db")));
        assert!(database("sqlite:/tmp/x.db") == Ok(file("/tmp/x.db")));
        assert!(database("sqlite:///tmp/x.db") == Ok(file("///tmp/x.db")));
        assert!(database("postgres://u:secret@h/db").is_ok());
        for bad in [
            "",
            "secret",
            "mysql://u:secret@h/db",
            "sqlite:",
            "sqlite://secret/x",
            "sqlite::memory:",
        ] {
            let Err(error) = database(bad) else { panic!("{bad} passed") };
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn photos_are_in_a_folder_on_s3_or_in_memory() {
        let s3 = |bucket: &str, prefix: &str| {
            Ok(Place::S3 { bucket: bucket.to_owned(), prefix: prefix.to_owned() })
        };
        assert_eq!(photos("file:data/photos"), Ok(Place::Folder(PathBuf::from("data/photos"))));
        assert_eq!(photos("file:///var/p"), Ok(Place::Folder(PathBuf::from("///var/p"))));
        assert_eq!(photos("memory:"), Ok(Place::Memory));
        assert_eq!(photos("s3://company-photos"), s3("company-photos", ""));
        assert_eq!(photos("s3://company/patrol/eu/"), s3("company", "patrol/eu"));
        for bad in [
            "",
            "file:",
            "file://secret/photos",
            "data/secret",
            "memory:x",
            "s3://",
            "s3:///secret",
            "s3://key:secret@bucket/prefix",
            "s3://bucket/prefix?key=secret",
        ] {
            assert!(!photos(bad).unwrap_err().contains("secret"), "{bad}");
        }
    }
}
