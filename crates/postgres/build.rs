//! Embedded migrations are read at compile time, which cargo does not see by itself.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations/postgres");
}
