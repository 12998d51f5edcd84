//! Points, and PUT of check-list actions.

use patrol_domain::{
    DraftContext, Drafted as _, Existing, Named, Patch, Reference, References, Rule, UniqueValue,
    check_list::{CheckListAction, CheckListActionEdit},
    ids::{CheckListActionId, GraphicPlanId, LocationId, PointId},
    point::{PlanPlaceDraft, Point, PointDraft, PointType},
    task_execution::ActionType,
};

use crate::sample::{Counting, faults, id, rules};

const POINT: u128 = 1;

fn draft() -> PointDraft {
    PointDraft {
        location_id: Some(LocationId(id(50))),
        name: Some("Gate".into()),
        kind: Some("QR".into()),
        ..PointDraft::default()
    }
}

fn existing() -> Existing {
    let mut existing = Existing::from_iter([
        LocationId(id(50)).into(),
        Reference::to_plan(GraphicPlanId(id(60)), LocationId(id(50))),
        Reference::to_plan(GraphicPlanId(id(61)), LocationId(id(51))),
    ]);
    for (code, point) in [("taken", 2), ("own", POINT)] {
        existing.add_owner(UniqueValue::QrCode, code.to_owned(), id(point));
    }
    existing
}

#[test]
fn absent_members_become_null_or_empty() {
    let point = draft().check(PointId(id(POINT)), Some(&existing()), &rules()).unwrap();
    assert_eq!((point.position, point.rfid_code, point.qr_code), (None, None, None));
    assert_eq!((point.graphic_plans, point.tags), (vec![], vec![]));
    assert_eq!(point.kind, PointType::Qr);
}

#[test]
fn all_faults_are_reported_in_the_order_of_the_fields() {
    let plan = |number, x| PlanPlaceDraft {
        id: Some(GraphicPlanId(id(number))),
        x,
        ..PlanPlaceDraft::default()
    };
    let draft = PointDraft {
        location_id: None,
        name: Some(String::new()),
        kind: Some("GPS".into()),
        latitude: Some(90.5),
        longitude: None,
        graphic_plans: vec![PlanPlaceDraft::default(), plan(60, Some(1.5)), plan(62, Some(-0.5))],
        rfid_code: Some(String::new()),
        qr_code: Some("taken".into()),
        tags: vec![String::new()],
    };
    let found = faults(draft.check(PointId(id(POINT)), Some(&existing()), &rules()));
    let wanted = [
        ("locationId", Rule::NotNull),
        ("name", Rule::Length { min: 1, max: 255 }),
        ("type", Rule::Enum(PointType::NAMES)),
        ("latitude", Rule::Range { min: -90, max: 90 }),
        ("longitude", Rule::NotNull),
        ("graphicPlans[0].id", Rule::NotNull),
        ("graphicPlans[1].x", Rule::Range { min: 0, max: 1 }),
        ("graphicPlans[2].id", Rule::Reference),
        ("graphicPlans[2].x", Rule::Range { min: 0, max: 1 }),
        ("rfidCode", Rule::Length { min: 1, max: 255 }),
        ("qrCode", Rule::Unique),
        ("tags[0]", Rule::Length { min: 1, max: 100 }),
    ];
    assert_eq!(found, wanted.map(|(at, rule)| (at.to_owned(), rule)));
}

#[test]
fn references_have_no_duplicates_and_no_code_with_u0000() {
    let place = PlanPlaceDraft { id: Some(GraphicPlanId(id(60))), ..PlanPlaceDraft::default() };
    let draft = PointDraft {
        graphic_plans: vec![place.clone(), PlanPlaceDraft::default(), place],
        qr_code: Some("taken".into()),
        rfid_code: Some("no\0code".into()),
        ..draft()
    };
    let wanted = References::default()
        .with([LocationId(id(50))])
        .with([GraphicPlanId(id(60))])
        .with_values(UniqueValue::QrCode, ["taken".to_owned()]);
    assert_eq!(Point::references(&draft, &rules().limits), wanted);
}

#[test]
fn a_graphic_plan_has_to_belong_to_the_location_of_the_point() {
    let mut draft = draft();
    let place = |number| PlanPlaceDraft {
        id: Some(GraphicPlanId(id(number))),
        ..PlanPlaceDraft::default()
    };
    draft.graphic_plans = vec![place(60), place(61), place(62)];
    let found = faults(draft.check(PointId(id(POINT)), Some(&existing()), &rules()));
    let at = ["graphicPlans[1].id", "graphicPlans[2].id"];
    assert_eq!(found, at.map(|at| (at.to_owned(), Rule::Reference)));
    draft.graphic_plans.truncate(1);
    assert!(draft.check(PointId(id(POINT)), Some(&existing()), &rules()).is_ok());
}

#[test]
fn a_point_keeps_its_own_code_and_coordinates_include_their_bounds() {
    let mut draft = draft();
    draft.qr_code = Some("own".into());
    (draft.latitude, draft.longitude) = (Some(-90.0), Some(180.0));
    assert!(draft.check(PointId(id(POINT)), Some(&existing()), &rules()).is_ok());
    draft.longitude = Some(180.0001);
    assert!(draft.check(PointId(id(POINT)), Some(&existing()), &rules()).is_err());
}

#[test]
fn a_check_list_action_keeps_an_absent_name_and_requires_a_type() {
    let before = CheckListAction {
        required: true,
        min_value: Some(1.0),
        ..CheckListAction::new(CheckListActionId(id(1)), "Pressure", ActionType::Number)
    };
    let edit = |name, kind: Option<&str>| {
        CheckListActionEdit { name, kind: kind.map(Into::into) }.apply(&before, &rules())
    };
    assert_eq!(edit(Patch::Absent, Some("NUMBER")), Ok(before.clone()));
    let text = edit(Patch::Value("Remark".into()), Some("TEXT")).unwrap();
    assert_eq!((text.name.as_str(), text.kind, text.min_value), ("Remark", ActionType::Text, None));
    assert_eq!(
        faults(edit(Patch::Null, None)),
        [("name".to_owned(), Rule::NotNull), ("type".to_owned(), Rule::NotNull)]
    );
    assert_eq!(
        faults(edit(Patch::Value(String::new()), Some("text"))),
        [
            ("name".to_owned(), Rule::Length { min: 1, max: 255 }),
            ("type".to_owned(), Rule::Enum(ActionType::NAMES))
        ]
    );
}

#[test]
fn places_on_graphic_plans_have_a_maximum_number_and_size() {
    // The id and the braces take 45 bytes, the further member without its text 10.
    let place = |bytes: usize| PlanPlaceDraft {
        id: Some(GraphicPlanId(id(60))),
        further: vec![("note".to_owned(), format!("\"{}\"", "x".repeat(bytes - 45 - 10)))],
        ..PlanPlaceDraft::default()
    };
    let check = |graphic_plans| {
        let draft = PointDraft { graphic_plans, ..draft() };
        draft.check(PointId(id(POINT)), Some(&existing()), &rules())
    };
    assert!(check(vec![place(4096); 100]).is_ok());
    let large = check(vec![place(100), place(4097)]);
    let length = |max| Rule::Length { min: 0, max };
    assert_eq!(faults(large), [("graphicPlans[1]".to_owned(), length(4096))]);
    let many = check(vec![place(100); 101]);
    assert_eq!(faults(many), [("graphicPlans".to_owned(), length(100))]);
}

#[test]
fn a_put_keeps_the_id_and_is_a_change_also_without_a_difference() {
    let (existing, ids, rules) = (existing(), Counting::default(), rules());
    let context = DraftContext { existing: &existing, ids: &ids, rules: &rules };
    let created = Point::create(&draft(), context).unwrap();
    assert_eq!(created.replace(&draft(), context), Ok(Some(created.clone())));
}
