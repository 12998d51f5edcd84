//! `patrol-test-s3 FOLDER PORT`: serves S3 on 127.0.0.1 until standard input closes, and writes
//! `listening` when it accepts connections. Each folder in FOLDER is a bucket. The variables
//! `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY` are the only valid credentials.

use std::{env, io::Write, net::Ipv4Addr, path::PathBuf};

use anyhow::Context;
use hyper_util::{rt::TokioExecutor, rt::TokioIo, server::conn::auto::Builder};
use s3s::{
    S3Result,
    access::{S3Access, S3AccessContext},
    auth::SimpleAuth,
    path::S3Path,
    s3_error,
    service::{S3Service, S3ServiceBuilder},
};
use s3s_fs::FileSystem;
use tokio::{io, net::TcpListener};

/// Accepts only signed requests for existing buckets. Without this, the file system would create a
/// bucket for the first object.
struct Doorkeeper {
    folder: PathBuf,
}

#[async_trait::async_trait]
impl S3Access for Doorkeeper {
    async fn check(&self, request: &mut S3AccessContext<'_>) -> S3Result<()> {
        if request.credentials().is_none() {
            return Err(s3_error!(AccessDenied, "the request is not signed"));
        }
        match request.s3_path() {
            S3Path::Bucket { bucket } | S3Path::Object { bucket, .. }
                if !self.folder.join(bucket.as_ref()).is_dir() =>
            {
                Err(s3_error!(NoSuchBucket))
            }
            _ => Ok(()),
        }
    }
}

fn service(folder: PathBuf) -> anyhow::Result<S3Service> {
    let variable = |name| env::var(name).context(name);
    let (key, secret) = (variable("AWS_ACCESS_KEY_ID")?, variable("AWS_SECRET_ACCESS_KEY")?);
    let files = FileSystem::new(&folder).ok().context("the folder cannot be used")?;
    let mut service = S3ServiceBuilder::new(files);
    service.set_auth(SimpleAuth::from_single(key, secret));
    service.set_access(Doorkeeper { folder });
    Ok(service.build())
}

async fn serve(listener: TcpListener, service: S3Service) -> anyhow::Result<()> {
    loop {
        let (stream, _) = listener.accept().await?;
        let service = service.clone();
        tokio::spawn(async move {
            let server = Builder::new(TokioExecutor::new());
            // A lost connection is not an error of the server.
            drop(server.serve_connection(TokioIo::new(stream), service).await);
        });
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let mut arguments = env::args_os().skip(1);
    let (Some(folder), Some(port), None) = (arguments.next(), arguments.next(), arguments.next())
    else {
        anyhow::bail!("usage: patrol-test-s3 FOLDER PORT");
    };
    let port = port.to_str().and_then(|port| port.parse().ok()).context("PORT is no port")?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    let service = service(folder.into())?;
    std::io::stdout().write_all(b"listening\n")?;
    let (mut input, mut nowhere) = (io::stdin(), io::sink());
    tokio::select! {
        served = serve(listener, service) => served,
        _ = io::copy(&mut input, &mut nowhere) => Ok(()),
    }?;
    // A thread may still wait for input, so the process exits explicitly.
    std::process::exit(0)
}
