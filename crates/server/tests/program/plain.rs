//! A program that was built without the features of packages.

use crate::workspace::{COMPANY, Workspace};

#[test]
fn what_the_program_was_built_without_is_an_error_that_names_the_feature() {
    let workspace = Workspace::with(COMPANY);
    for (line, feature) in [
        (
            &["serve", "--listen", "127.0.0.1:0", "--photos-url", "s3://company/patrol"][..],
            "--features s3",
        ),
        (&["check", "--photos-url", "s3://company/patrol"], "--features s3"),
        (
            &["serve", "--listen", "127.0.0.1:0", "--traces-endpoint", "http://127.0.0.1:4318"],
            "--features traces",
        ),
    ] {
        let line = [line, &["--log", "warn"]].concat();
        let error = workspace.run(&line).failed(2);
        assert!(error.contains(feature), "{error}");
    }
}
