//! The baseline: actix-web alone, which answers with bytes from memory. It runs in its own process,
//! like the program.

use std::fs;

use actix_web::{App, HttpResponse, HttpServer, rt::System, web};

/// The first argument of a process that runs the bare server.
pub(crate) const BARE: &str = "bare";

/// Address, record file and page file, if this process should be the bare server.
pub(crate) fn arguments(arguments: &[String]) -> Option<[&str; 3]> {
    match arguments {
        [first, address, record, page] if first == BARE => Some([address, record, page]),
        _ => None,
    }
}

/// Serves until it is killed, with as many workers as the program: one for each core.
pub(crate) fn serve(address: &str, record: &str, page: &str) {
    let bytes = |file| web::Bytes::from(fs::read(file).expect("an answer"));
    let (record, page) = (bytes(record), bytes(page));
    let app = move || {
        let answer = |body: &web::Bytes| {
            let body = body.clone();
            web::get().to(move || {
                let body = body.clone();
                async move { HttpResponse::Ok().content_type("application/json").body(body) }
            })
        };
        App::new()
            .route("/v1/task-executions/info", answer(&page))
            .route("/v1/task-executions/{id}", answer(&record))
    };
    let server = HttpServer::new(app).bind(address).expect("the address is free");
    System::new().block_on(server.run()).expect("the bare server runs");
}
