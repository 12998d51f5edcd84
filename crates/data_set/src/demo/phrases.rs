//! The texts of the demo company, in four languages.

/// The texts of one language.
pub(super) struct Phrases {
    pub(super) language: &'static str,
    pub(super) night_round: &'static str,
    pub(super) day_round: &'static str,
    /// A round by day and by night.
    pub(super) round: &'static str,
    pub(super) description: &'static str,
    pub(super) points: [&'static str; 4],
    pub(super) is_locked: &'static str,
    pub(super) temperature: &'static str,
    pub(super) battery: &'static str,
    pub(super) remark: &'static str,
    pub(super) photo: &'static str,
    pub(super) fine: &'static [&'static str],
    pub(super) faulty: &'static [&'static str],
}

pub(super) const ENGLISH: Phrases = Phrases {
    language: "en",
    night_round: "Night round",
    day_round: "Day round",
    round: "Round",
    description: "All doors, gates and alarms along the usual way",
    points: ["Main gate", "Fire exit", "Server room", "Fence, north side"],
    is_locked: "Door locked and seal intact",
    temperature: "Temperature, °C",
    battery: "Battery of the emergency light, %",
    remark: "Remark",
    photo: "Photo of the door",
    fine: &["All quiet", "Nothing to report", "Seal replaced", "Cleaners still at work"],
    faulty: &["Door found open, locked it", "Alarm does not reset", "Window pane cracked"],
};

pub(super) const RUSSIAN: Phrases = Phrases {
    language: "ru",
    night_round: "Ночной обход",
    day_round: "Дневной обход",
    round: "Обход",
    description: "Все двери, ворота и сигнализация по обычному маршруту",
    points: ["Главные ворота", "Пожарный выход", "Серверная", "Ограда, северная сторона"],
    is_locked: "Дверь заперта, пломба цела",
    temperature: "Температура, °C",
    battery: "Заряд аварийного света, %",
    remark: "Замечание",
    photo: "Фото двери",
    fine: &["Всё спокойно", "Без замечаний", "Пломба заменена", "Ещё работают уборщики"],
    faulty: &["Дверь была открыта, запер", "Сигнализация не сбрасывается", "Разбито стекло"],
};

pub(super) const GERMAN: Phrases = Phrases {
    language: "de",
    night_round: "Nachtrunde",
    day_round: "Tagesrunde",
    round: "Rundgang",
    description: "Alle Türen, Tore und Melder auf dem üblichen Weg",
    points: ["Haupttor", "Notausgang", "Serverraum", "Zaun, Nordseite"],
    is_locked: "Tür verschlossen, Plombe unversehrt",
    temperature: "Temperatur, °C",
    battery: "Akku der Notleuchte, %",
    remark: "Bemerkung",
    photo: "Foto der Tür",
    fine: &["Alles ruhig", "Keine Vorkommnisse", "Plombe ersetzt", "Reinigung noch im Haus"],
    faulty: &[
        "Tür stand offen, verschlossen",
        "Melder lässt sich nicht zurücksetzen",
        "Scheibe gesprungen",
    ],
};

pub(super) const LATVIAN: Phrases = Phrases {
    language: "lv",
    night_round: "Nakts apgaita",
    day_round: "Dienas apgaita",
    round: "Apgaita",
    description: "Visas durvis, vārti un signalizācija pa parasto maršrutu",
    points: ["Galvenie vārti", "Avārijas izeja", "Serveru telpa", "Žogs, ziemeļu puse"],
    is_locked: "Durvis aizslēgtas, plomba vesela",
    temperature: "Temperatūra, °C",
    battery: "Avārijas gaismas akumulators, %",
    remark: "Piezīme",
    photo: "Durvju foto",
    fine: &["Viss mierīgi", "Bez piezīmēm", "Plomba nomainīta", "Apkopēji vēl strādā"],
    faulty: &["Durvis bija vaļā, aizslēdzu", "Signalizācija neatiestatās", "Ieplaisājis stikls"],
};
