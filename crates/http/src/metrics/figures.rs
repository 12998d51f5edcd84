//! Converts figures of other parts of the program to Prometheus.

use std::{collections::BTreeMap, sync::Arc};

use patrol_domain::{Figure, FigureKind, Monitored};
use prometheus::proto::{Counter, Gauge, LabelPair, Metric, MetricFamily, MetricType};

/// The figures of all `monitored` parts by name. Figures of the same name form one family, because
/// Prometheus refuses a name that is declared twice.
pub(super) fn families(monitored: &[Arc<dyn Monitored>]) -> Vec<MetricFamily> {
    let mut by_name: BTreeMap<&'static str, Vec<Figure>> = BTreeMap::new();
    for figure in monitored.iter().flat_map(|part| part.figures()) {
        by_name.entry(figure.name).or_default().push(figure);
    }
    by_name.into_values().filter_map(|figures| family(&figures)).collect()
}

fn family(figures: &[Figure]) -> Option<MetricFamily> {
    let Figure { name, help, kind, .. } = figures.first()?;
    let mut family = MetricFamily::default();
    family.set_name((*name).to_owned());
    family.set_help((*help).to_owned());
    family.set_field_type(match kind {
        FigureKind::Gauge => MetricType::GAUGE,
        FigureKind::Counter => MetricType::COUNTER,
    });
    family.set_metric(figures.iter().map(|figure| metric(figure, *kind)).collect());
    Some(family)
}

fn metric(figure: &Figure, kind: FigureKind) -> Metric {
    let label = figure.label.map(|(name, value)| {
        let mut label = LabelPair::default();
        label.set_name(name.to_owned());
        label.set_value(value.to_owned());
        label
    });
    let mut metric = Metric::from_label(label.into_iter().collect());
    match kind {
        FigureKind::Gauge => {
            let mut gauge = Gauge::default();
            gauge.set_value(figure.value);
            metric.set_gauge(gauge);
        }
        FigureKind::Counter => {
            let mut counter = Counter::default();
            counter.set_value(figure.value);
            metric.set_counter(counter);
        }
    }
    metric
}

#[cfg(test)]
mod tests {
    use prometheus::TextEncoder;

    use super::*;

    struct Queue(&'static str, f64);

    impl Monitored for Queue {
        fn figures(&self) -> Vec<Figure> {
            let Self(queue, value) = *self;
            let (name, help) = ("patrol_queue_length", "Jobs that wait.");
            let label = Some(("queue", queue));
            let (kind, written) = (FigureKind::Gauge, FigureKind::Counter);
            vec![
                Figure { name, help, kind, label, value },
                Figure {
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
