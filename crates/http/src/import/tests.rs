//! Files of CSV.

use patrol_domain::{
    Fault, Rule,
    access::Role,
    ids::{LocationId, PointId, UserId, Uuid},
    location::Position,
    point::{PlanPlace, PointDraft, PointType},
    user::UserDraft,
};
use patrol_record::{
    PointRecord, UserRecord,
    json::fields::{Expected, TypeFault},
};
use proptest::prelude::*;

use super::*;
use crate::csv::CsvRows;

/// The faults of the form of a file, as line and column.
fn faults(file: &[u8]) -> Vec<(u64, String, FileFault)> {
    let shown = |fault: LineFault| match fault.cause {
        Cause::File(cause) => (fault.line, fault.identifier.unwrap_or_default(), cause),
        other => panic!("{other:?}"),
    };
    read::<UserDraft>(file, User::COLUMNS).faults.into_iter().map(shown).collect()
}

fn people(file: &[u8]) -> Vec<(u64, UserDraft)> {
    let read = read::<UserDraft>(file, User::COLUMNS);
    assert_eq!(read.faults, []);
    read.drafts
}

#[test]
fn a_separator_is_a_comma_or_a_semicolon_and_a_byte_order_mark_is_skipped() {
    for file in [
        "firstName,lastName,role,tags\nGreta,Sommer,EMPLOYEE,night;first-aid\n",
        "firstName,lastName,role,tags\r\nGreta,Sommer,EMPLOYEE,night;first-aid",
        "\u{feff}firstName;lastName;role;tags\r\nGreta;Sommer;EMPLOYEE;\"night;first-aid\"\r\n",
        "\"role\";\"tags\";\"lastName\";\"firstName\"\nEMPLOYEE;\"night;first-aid\";Sommer;Greta\n",
    ] {
        let drafts = people(file.as_bytes());
        let draft = &drafts[0].1;
        assert_eq!((drafts.len(), drafts[0].0), (1, 2), "{file}");
        assert_eq!(draft.first_name.as_deref(), Some("Greta"));
        assert_eq!(draft.role.as_deref(), Some("EMPLOYEE"));
        assert_eq!(draft.tags, ["night", "first-aid"]);
        assert_eq!(draft.email, None);
    }
}

#[test]
fn a_record_has_the_number_of_its_first_line() {
    let file = b"firstName,lastName,role\r\n\"a\r\nb\",c,d\r\n\r\n\"e\nf\",g,h\ni,j,k";
    let lines: Vec<_> = people(file).into_iter().map(|(line, _)| line).collect();
    assert_eq!(lines, [2, 5, 7]);
    assert_eq!(people(file)[0].1.first_name.as_deref(), Some("a\r\nb"));
}

#[test]
fn the_sign_before_a_formula_is_taken_off() {
    let file = "firstName,lastName,role,phone,tags\n'=a,'b,'-,'+49 30,'@x;'y;'=z\n";
    let draft = &people(file.as_bytes())[0].1;
    assert_eq!(draft.first_name.as_deref(), Some("=a"));
    assert_eq!(draft.last_name.as_deref(), Some("'b"));
    assert_eq!(draft.phone.as_deref(), Some("+49 30"));
    assert_eq!(draft.tags, ["@x", "'y", "=z"]);
    let point = b"locationId,name,type,latitude\nx,y,z,'-33.9\n";
    assert_eq!(read::<PointDraft>(point, Point::COLUMNS).drafts[0].1.latitude, Some(-33.9));
}

#[test]
fn what_is_wrong_with_the_form_of_a_file_is_said() {
    let header = "firstName,lastName,role\n";
    let large = vec![b'a'; MAX_FILE + 1];
    let long = format!("{header}{}", "a,b,EMPLOYEE\n".repeat(MAX_LINES + 1));
    let cells = |found| FileFault::Cells { expected: 3, found };
    let cases: [(&[u8], (u64, FileFault)); 10] = [
        (b"", (1, FileFault::Empty)),
        (b"\xef\xbb\xbf\r\n\n", (1, FileFault::Empty)),
        (header.as_bytes(), (1, FileFault::Empty)),
        (&large, (1, FileFault::TooLarge)),
        (long.as_bytes(), (1, FileFault::TooManyLines)),
        (b"firstName,lastName,role\na,\xff,b\n", (2, FileFault::NotUtf8)),
        (b"\xff\xfef\0i\0", (1, FileFault::NotUtf8)),
        (b"firstName,lastName,role\na,b,c\n\"a,b,c\nd,e,f\n", (3, FileFault::UnclosedQuote)),
        (b"firstName,lastName,role\na,b\n", (2, cells(2))),
        (b"firstName,lastName,role\na,b,c,d\n", (2, cells(4))),
    ];
    for (file, (line, fault)) in cases {
        assert_eq!(faults(file), [(line, String::new(), fault)]);
    }
    assert_eq!(people(&long.as_bytes()[..long.len() - 13]).len(), MAX_LINES);
    let of_header = faults(b"firstName,surname,firstName,First name\na,b,c,d\n");
    let of_header: Vec<_> =
        of_header.iter().map(|(_, name, fault)| (name.as_str(), *fault)).collect();
    assert_eq!(
        of_header,
        [
            ("surname", FileFault::UnknownColumn),
            ("firstName", FileFault::RepeatedColumn),
            ("First name", FileFault::UnknownColumn),
            ("lastName", FileFault::MissingColumn),
            ("role", FileFault::MissingColumn),
        ]
    );
}

#[test]
fn what_is_wrong_with_the_header_hides_no_fault_of_a_line() {
    let file = b"name,type,colour,tags,tags\nGate,QR,red,a,b\n,QR\n,QR,red,a,b\n";
    let ReadFile { drafts, faults } = read::<PointDraft>(file, Point::COLUMNS);
    let lines: Vec<_> = drafts.iter().map(|(line, _)| *line).collect();
    assert_eq!((lines.as_slice(), &drafts[0].1.tags), (&[2, 4][..], &vec!["a".to_owned()]));
    let no_location = || Fault { identifier: "locationId".to_owned(), rule: Rule::NotNull };
    let no_name = Fault { identifier: "name".to_owned(), rule: Rule::NotNull };
    let checked = vec![Err(vec![no_location()]), Err(vec![no_location(), no_name])];
    let CheckedFile::<()> { faults, .. } = joined(&lines, checked, faults);
    let shown: Vec<_> = faults
        .iter()
        .map(|fault| (fault.line, fault.identifier.as_deref().unwrap_or("")))
        .collect();
    assert_eq!(shown, [(1, "colour"), (1, "tags"), (1, "locationId"), (3, ""), (4, "name")]);
}

#[test]
fn all_faults_of_all_lines_are_said() {
    let file = b"locationId,name,type,latitude,longitude,graphicPlans\n\
        x,Gate,QR,\"52,5\",1,\n\
        0190a000-0000-7000-8000-00000000000a,Gate,QR,1,2,[]\n\
        0190a000-0000-7000-8000-00000000000a,,QR,\"\"\"1\"\"\",2,{}\n\
        short\n";
    let ReadFile { drafts, faults } = read::<PointDraft>(file, Point::COLUMNS);
    assert_eq!(drafts.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 3, 4]);
    let lines: Vec<_> = drafts.iter().map(|(line, _)| *line).collect();
    let rule = |identifier: &str, rule| Fault { identifier: identifier.to_owned(), rule };
    let checked = vec![
        Err(vec![
            rule("locationId", Rule::NotNull),
            rule("type", Rule::Enum(&["QR_CODE", "RFID"])),
            rule("tags[1]", Rule::Length { min: 1, max: 100 }),
        ]),
        Ok("record"),
        Ok("not made"),
    ];
    let CheckedFile { records, faults } = joined(&lines, checked, faults);
    assert_eq!(records, [(3, "record")]);
    let shown: Vec<_> = faults
        .iter()
        .map(|fault| (fault.line, fault.identifier.as_deref().unwrap_or(""), &fault.cause))
        .collect();
    let of_type = |identifier: &str, expected| {
        Cause::Type(TypeFault { identifier: Some(identifier.to_owned()), expected })
    };
    let of_rule = |identifier: &str, of| Cause::Rule(rule(identifier, of));
    assert_eq!(
        shown,
        [
            (2, "locationId", &of_type("locationId", Expected::Uuid)),
            (2, "latitude", &of_type("latitude", Expected::Number)),
            (2, "type", &of_rule("type", Rule::Enum(&["QR_CODE", "RFID"]))),
            (2, "tags[1]", &of_rule("tags[1]", Rule::Length { min: 1, max: 100 })),
            (4, "latitude", &of_type("latitude", Expected::Number)),
            (4, "graphicPlans", &of_type("graphicPlans", Expected::Array)),
            (5, "", &Cause::File(FileFault::Cells { expected: 6, found: 1 })),
        ]
    );
}

/// The names of the columns that an export has.
fn exported<R: utoipa::ToSchema>() -> String {
    let mut out = Vec::new();
    CsvRows::begin::<R>(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn an_import_knows_the_columns_of_an_export() {
    let names = |columns: &[Column]| {
        let names: Vec<_> = columns.iter().map(|column| column.name).collect();
        format!("{}\r\n", names.join(","))
    };
    assert_eq!(names(User::COLUMNS), exported::<UserRecord<'_>>());
    assert_eq!(names(Point::COLUMNS), exported::<PointRecord<'_>>());
}

fn location() -> LocationId {
    LocationId(Uuid::from_u128(7))
}

prop_compose! {
    /// Texts without what an import does not keep: an empty text, a text that begins like a guarded one.
    fn text()(text in "([^\0]|[\"',;=@\t\r\n-]){1,8}") -> String {
        text.trim_start_matches('\'').to_owned()
    }
}

fn present() -> impl Strategy<Value = String> {
    text().prop_filter("a text", |text| !text.is_empty())
}

proptest! {
    #[test]
    fn an_exported_user_is_read_as_it_was(
        first in present(),
        last in present(),
        middle in prop::option::of(present()),
        phone in prop::option::of(present()),
        tags in prop::collection::vec(present().prop_map(|tag| tag.replace(';', "x")), 0..3),
    ) {
        let user = User {
            middle_name: middle,
            phone,
            tags,
            location_ids: vec![location()],
            ..User::new(UserId(Uuid::from_u128(9)), &first, &last, "pt-BR", Role::Manager)
        };
        let mut file = Vec::new();
        let mut rows = CsvRows::begin::<UserRecord<'_>>(&mut file).unwrap();
        rows.write([UserRecord::new(&user, true)].into_iter(), &mut file).unwrap();
        let drafts = people(&file);
        let expected = UserDraft {
            id: Some(user.id),
            first_name: Some(first),
            middle_name: user.middle_name.clone(),
            last_name: Some(last),
            phone: user.phone.clone(),
            language: Some("pt-BR".to_owned()),
            role: Some("MANAGER".to_owned()),
            status: Some("ACTIVE".to_owned()),
            location_ids: vec![location()],
            tags: user.tags.clone(),
            ..UserDraft::default()
        };
        prop_assert!(drafts.len() == 1 && drafts[0].1 == expected);
    }

    #[test]
    fn no_file_is_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), text in "[a\";,\r\n']{0,60}") {
        read::<UserDraft>(&bytes, User::COLUMNS);
        read::<UserDraft>(format!("firstName,lastName,role\n{text}").as_bytes(), User::COLUMNS);
        read::<PointDraft>(format!("name,latitude,graphicPlans\n{text}").as_bytes(), Point::COLUMNS);
    }
}

#[test]
fn an_exported_point_is_read_as_it_was() {
    let place = PlanPlace {
        plan: Uuid::from_u128(3).into(),
        x: Some(0.25),
        y: None,
        further: vec![("colour".to_owned(), "\"a;\\\"b\"".to_owned())],
    };
    let point = Point {
        position: Some(Position { latitude: -33.9, longitude: 18.0 }),
        graphic_plans: vec![place],
        rfid_code: Some("=1".to_owned()),
        tags: vec!["a".to_owned()],
        ..Point::new(PointId(Uuid::from_u128(1)), location(), "Gate, north", PointType::Qr)
    };
    let mut file = Vec::new();
    let mut rows = CsvRows::begin::<PointRecord<'_>>(&mut file).unwrap();
    rows.write([PointRecord::new(&point)].into_iter(), &mut file).unwrap();
    let ReadFile { drafts, faults } = read::<PointDraft>(&file, Point::COLUMNS);
    assert_eq!(faults, []);
    let draft = &drafts[0].1;
    let made =
        draft.check(point.id, None, &patrol_application::rules(patrol_domain::Limits::default()));
    assert_eq!(made, Ok(point));
}
