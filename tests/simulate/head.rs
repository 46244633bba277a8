//! The head of a simulated run: a host and a date that are nowhere, the settings of the plan.
//! Never asks the machine or the clock. Start at [`head`].

use std::collections::BTreeMap;

use chuhe::plan::Plan;
use chuhe::record::{FORMAT, Host, RunBegan, Settings};

pub fn host() -> Host {
    Host { cpu: "none".into(), threads: 1, memory_mib: 1, system: "simulated".into(), cores: None }
}

pub fn head(plan: &Plan) -> RunBegan {
    RunBegan {
        format: FORMAT,
        program: "simulation".into(),
        settings: Settings::of(plan),
        config: serde_json::Value::Null,
        base: "/".into(),
        sources: BTreeMap::new(),
        date: "2006-09-01T09:00:00+08:00".into(),
        host: host(),
    }
}
