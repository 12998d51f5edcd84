//! The program as a person meets it: what is typed, what is answered, exit codes.

mod data;
mod serve;
mod site;
mod token;
mod usage;
