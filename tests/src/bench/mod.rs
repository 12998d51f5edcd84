//! Common parts of the benchmarks: stores with the data set, servers as processes, load, and
//! reports.

pub mod company;
pub mod load;
pub mod machine;
pub mod plan;
pub mod postgres;
pub mod process;
pub mod rate;
pub mod report;
pub mod store;
pub mod svg;
