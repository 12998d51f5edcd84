//! `/import`.

use patrol_tests::{
    Form, Page, Running, SiteClient, Store,
    company::{NOBODY, PORT, location, point},
    with,
};
use serde_json::json;

use super::{PASSWORD, admin, browser, company, running};

fn check(browser: &mut SiteClient, kind: &str, file: &[u8]) -> Page {
    let form = browser.open("/import");
    let fields = Form::default().field("kind", kind).file("file", file);
    browser.submit_file(&form, "/import", fields)
}

/// Presses "Import" on the page of a checked file.
fn import(browser: &mut SiteClient, checked: &Page, kind: &str) -> Page {
    let (form, content) = (checked.hidden("form"), checked.hidden("content"));
    let fields = [("form", form.as_str()), ("content", &content), ("kind", kind)];
    browser.submit(checked, "/import/records", &fields)
}

const PEOPLE: &str = "\u{feff}firstName;lastName;role;employeeNo;phone;tags\r\n\
    Greta;\"Sommer; <b>\";EMPLOYEE;G1;'+49 30;\"night;first-aid\"\r\n\
    \"Two\r\nlines\";Guard;MANAGER;G2;;\r\n";

#[test]
fn people_are_checked_and_then_imported_once() {
    let running = running();
    let mut ada = admin(&running);
    let checked = check(&mut ada, "people", PEOPLE.as_bytes());
    assert_eq!(checked.status, 200, "{}", checked.text);
    assert!(checked.text.contains("Greta Sommer; &#60;b&#62;"), "{}", checked.text);
    assert!(checked.text.contains("Records in the file: 2."), "{}", checked.text);
    assert_eq!(running.admin.get("/users?q=G1&limit=0").ok()["meta"]["count"], 0);
    let imported = import(&mut ada, &checked, "people");
    assert_eq!(
        (imported.status, imported.header("location")),
        (303, Some("/import?imported=2&kind=people"))
    );
    assert!(ada.open("/import?imported=2").text.contains("Imported: 2."));
    let users = running.admin.get("/users?employeeNo=eq:G1").ok();
    let user = &users["data"][0];
    assert_eq!((&user["lastName"], &user["phone"]), (&json!("Sommer; <b>"), &json!("+49 30")));
    assert_eq!(
        (&user["tags"], &user["status"]),
        (&json!(["night", "first-aid"]), &json!("ACTIVE"))
    );
    let two = running.admin.get("/users?employeeNo=eq:G2").ok();
    assert_eq!(two["data"][0]["firstName"], "Two\r\nlines");
    // The same form once more, and the same file in a new form.
    let again = import(&mut ada, &checked, "people");
    assert!(again.status == 200 && again.text.contains("imported already"), "{}", again.text);
    let again = check(&mut ada, "people", PEOPLE.as_bytes());
    assert_eq!(again.status, 422);
    assert_eq!(again.text.matches("has this value").count(), 2, "{}", again.text);
    assert_eq!(running.admin.get("/users?q=Greta&limit=0").ok()["meta"]["count"], 1);
}

#[test]
fn the_form_has_its_fields_and_a_checked_file_the_button_import() {
    let running = running();
    let mut ada = admin(&running);
    let form = ada.open("/import").text;
    for part in [
        "<label for=\"file\">File</label>",
        "<input id=\"file\" name=\"file\" type=\"file\"",
        "<label for=\"kind\">Kind</label>",
        "<option value=\"people\" selected>People</option>",
        "<option value=\"points\">Points</option>",
        "<button>Check</button>",
        "People: the columns firstName, lastName, role are needed; there may also be id, ",
        "Points: the columns locationId, name, type are needed; there may also be latitude, ",
    ] {
        assert!(form.contains(part), "{part}: {form}");
    }
    let button = "<button>Import</button>";
    assert!(!form.contains(button), "{form}");
    let checked = check(&mut ada, "people", PEOPLE.as_bytes()).text;
    assert!(checked.contains(button), "{checked}");
    let at_fault = check(&mut ada, "people", b"firstName,lastName,role\n,Guard,EMPLOYEE\n");
    assert!(at_fault.status == 422 && !at_fault.text.contains(button), "{}", at_fault.text);
}

#[test]
fn all_faults_are_shown_by_line_and_nothing_is_imported() {
    let running = running();
    let mut ada = admin(&running);
    let file = b"firstName,lastName,role,email,locationIds\n\
        ,Guard,BOSS,a@example.org,\n\
        Eve,Guard,EMPLOYEE,A@example.org,x\n\
        Eve,Guard\n\
        Fay,Guard,EMPLOYEE,,\n";
    let page = check(&mut ada, "people", file);
    assert_eq!(page.status, 422);
    assert!(page.text.contains("role=\"alert\""), "{}", page.text);
    for (line, column, message) in [
        ("2", "firstName", "Enter a value."),
        ("2", "role", "Enter one of: EMPLOYEE, MANAGER, ADMIN."),
        ("3", "locationIds, value 1", "Enter an id as the API writes it"),
        ("3", "email", "Another line or a stored record has this value."),
        ("4", "the whole line", "The header has 5 cells, this line 2."),
    ] {
        let row = page.text.split("<tr>").find(|row| row.contains(column) && row.contains(message));
        let row = row.unwrap_or_else(|| panic!("{column} {message}: {}", page.text));
        assert!(row.starts_with(&format!("<th scope=\"row\">{line}</th>")), "{row}");
    }
    assert!(page.text.contains("Fay Guard"), "{}", page.text);
    assert!(!page.text.contains("/import/records"), "{}", page.text);
    for (file, says) in [
        (&b"firstName,lastName,role\n"[..], "no lines below its header"),
        (b"firstName,lastName,role,colour\n,Guard,ADMIN,red\n", "There is no such column."),
        (b"firstName,lastName\n,Guard\n", "This column is needed."),
        (b"firstName,lastName,role,role\n,Guard,ADMIN,ADMIN\n", "The column is there twice."),
        (b"\xff", "The file is not UTF-8."),
        (&vec![b'a'; (1 << 20) + 1], "larger than 1 MiB"),
    ] {
        let page = check(&mut ada, "people", file);
        assert!(page.status == 422 && page.text.contains(says), "{says}: {}", page.text);
        // A fault of the header hides none of a line.
        assert_eq!(
            page.text.contains("Enter a value."),
            file.ends_with(b"Guard\n") || file.ends_with(b"red\n") || file.ends_with(b"ADMIN\n")
        );
    }
    let tags = vec!["a"; 1_001].join(";");
    let points = format!(
        "locationId,name,type,graphicPlans,latitude,longitude,tags\n,Gate,QR,{{}},,,\n\
         {NOBODY},Gate,QR,,\"51,5\",x,{tags}\n"
    );
    let page = check(&mut ada, "points", points.as_bytes()).text;
    for says in [
        "Enter JSON as the API writes it",
        "No record has this id.",
        "Enter a number; write decimals with a point, for example 51.5.",
        " entries.",
    ] {
        assert!(page.contains(says), "{says}: {page}");
    }
    let mut russian = ada.clone();
    russian.set_cookie("patrol_language", "ru");
    let page = check(&mut russian, "people", b"\"firstName");
    assert!(
        page.status == 422 && page.text.contains("кавычка не закрыта. Закройте её."),
        "{}",
        page.text
    );
    let none = ada.open("/import");
    let none = ada.submit_file(&none, "/import", Form::default().field("kind", "people"));
    assert!(
        none.status == 422 && none.text.contains("Choose a file that is not empty."),
        "{}",
        none.text
    );
}

#[test]
fn a_value_that_is_taken_after_the_check_stops_the_whole_import() {
    let running = running();
    let mut ada = admin(&running);
    let file =
        b"firstName,lastName,role,employeeNo\nEve,Guard,EMPLOYEE,G1\nFay,Guard,EMPLOYEE,G2\n";
    let checked = check(&mut ada, "people", file);
    assert_eq!(checked.status, 200);
    let other =
        json!({ "firstName": "Gus", "lastName": "Guard", "role": "EMPLOYEE", "employeeNo": "G2" });
    let _ = running.admin.post("/users", &other).json(201);
    let refused = import(&mut ada, &checked, "people");
    assert_eq!(refused.status, 422);
    let row =
        refused.text.split("<tr>").find(|row| row.contains("Another line or a stored record"));
    assert!(row.is_some_and(|row| row.contains("<th scope=\"row\">3</th>")), "{}", refused.text);
    assert_eq!(running.admin.get("/users?employeeNo=G1").ok()["data"], json!([]));
}

#[test]
fn only_an_administrator_imports_with_the_token_of_the_form() {
    let running = running();
    for name in ["M1", "E1"] {
        let mut other = browser(&running).signed_in(name, PASSWORD);
        assert_eq!(other.get("/import").status, 403, "{name}");
        let form = other.open("/password");
        let fields = Form::default().field("kind", "people").file("file", PEOPLE.as_bytes());
        assert_eq!(other.submit_file(&form, "/import", fields).status, 403, "{name}");
        assert_eq!(
            other
                .submit(
                    &form,
                    "/import/records",
                    &[("content", ""), ("kind", "people"), ("form", "x")]
                )
                .status,
            403
        );
    }
    let mut ada = admin(&running);
    assert_eq!(
        ada.post("/import/records", &[("content", ""), ("kind", "people"), ("form", "x")]).status,
        403
    );
    let form = ada.open("/import");
    let bad = [("content", "?"), ("kind", "people"), ("form", "x")];
    assert_eq!(ada.submit(&form, "/import/records", &bad).status, 400);
    assert_eq!(
        ada.with("Origin", "https://elsewhere.example")
            .submit(&form, "/import/records", &bad)
            .status,
        403
    );
}

#[test]
fn an_export_is_imported_into_another_company() {
    let points = (1..=3).map(|n| {
        with(
            point(&format!("0190a000-0003-7000-8000-00000000010{n}"), PORT, "=Gate, \"north\""),
            json!({"qrCode": format!("Q{n}"), "latitude": -33.5, "longitude": 18, "tags": ["@a", "b"]}),
        )
    });
    let full = Running::on(Store::with(&company().and([location(PORT, "Port")]).and(points)));
    let other = Running::on(Store::with(&company().and([location(PORT, "Port")])));
    let export = full.admin.with("Accept", "text/csv").get("/locations/points?sort=qrCode");
    let mut ada = admin(&other);
    let checked = check(&mut ada, "points", &export.body);
    assert_eq!(checked.status, 200, "{}", checked.text);
    assert_eq!(import(&mut ada, &checked, "points").status, 303);
    let without_ids = |running: &Running| {
        let mut list = running.admin.get("/locations/points?sort=qrCode").ok()["data"].clone();
        list.as_array_mut().unwrap().iter_mut().for_each(|point| point["id"] = json!(null));
        list
    };
    assert_eq!(without_ids(&other), without_ids(&full));
    // Users keep their ids, so they cannot be imported where they are.
    let people = full.admin.with("Accept", "text/csv").get("/users");
    let page = check(&mut ada, "people", &people.body);
    assert_eq!(page.status, 422);
    assert!(page.text.contains("has this value"), "{}", page.text);
}
