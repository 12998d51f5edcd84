//! Converts the metrics of other parts of the program to the form of Prometheus.

use std::{collections::BTreeMap, sync::Arc};

use patrol_domain::{Metric, MetricKind, Monitored};
use prometheus::proto::{self, LabelPair, MetricFamily, MetricType};

/// The metrics of all `monitored` parts by name. Metrics with the same name form one family, because
/// Prometheus refuses a name that is declared twice.
pub(super) fn families(monitored: &[Arc<dyn Monitored>]) -> Vec<MetricFamily> {
    let mut by_name: BTreeMap<&'static str, Vec<Metric>> = BTreeMap::new();
    for metric in monitored.iter().flat_map(|part| part.metrics()) {
        by_name.entry(metric.name).or_default().push(metric);
    }
    by_name.into_values().filter_map(|metrics| family(&metrics)).collect()
}

fn family(metrics: &[Metric]) -> Option<MetricFamily> {
    let Metric { name, help, kind, .. } = metrics.first()?;
    let mut family = MetricFamily::default();
    family.set_name((*name).to_owned());
    family.set_help((*help).to_owned());
    family.set_field_type(match kind {
        MetricKind::Gauge => MetricType::GAUGE,
        MetricKind::Counter => MetricType::COUNTER,
    });
    family.set_metric(metrics.iter().map(|metric| to_proto(metric, *kind)).collect());
    Some(family)
}

fn to_proto(metric: &Metric, kind: MetricKind) -> proto::Metric {
    let label = metric.label.map(|(name, value)| {
        let mut label = LabelPair::default();
        label.set_name(name.to_owned());
        label.set_value(value.to_owned());
        label
    });
    let mut written = proto::Metric::from_label(label.into_iter().collect());
    match kind {
        MetricKind::Gauge => {
            let mut gauge = proto::Gauge::default();
            gauge.set_value(metric.value);
            written.set_gauge(gauge);
        }
        MetricKind::Counter => {
            let mut counter = proto::Counter::default();
            counter.set_value(metric.value);
            written.set_counter(counter);
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use prometheus::TextEncoder;

    use super::*;

    struct Queue(&'static str, f64);

    impl Monitored for Queue {
        fn metrics(&self) -> Vec<Metric> {
            let Self(queue, value) = *self;
            let (name, help) = ("patrol_queue_length", "Jobs that wait.");
            let label = Some(("queue", queue));
            let (kind, written) = (MetricKind::Gauge, MetricKind::Counter);
            vec![
                Metric { name, help, kind, label, value },
                Metric {
                    name: "patrol_a_total",
                    help: "A.",
                    kind: written,
                    label: Some(("of", queue)),
                    value: 2e9,
                },
            ]
        }
    }

    #[test]
    fn figures_with_the_same_name_form_one_family() {
        let parts: [Arc<dyn Monitored>; 2] =
            [Arc::new(Queue("reads", 0.5)), Arc::new(Queue("writes", 3.0))];
        let text = TextEncoder::new().encode_to_string(&families(&parts)).unwrap();
        assert_eq!(
            text,
            "# HELP patrol_a_total A.\n# TYPE patrol_a_total counter\n\
             patrol_a_total{of=\"reads\"} 2000000000\npatrol_a_total{of=\"writes\"} 2000000000\n\
             # HELP patrol_queue_length Jobs that wait.\n# TYPE patrol_queue_length gauge\n\
             patrol_queue_length{queue=\"reads\"} 0.5\npatrol_queue_length{queue=\"writes\"} 3\n"
        );
    }
}
