//! Records of megabytes among small ones.

use futures_util::StreamExt;
use patrol_domain::{
    List,
    list::{Page, Part},
    point::HistoryList,
};

use super::{fill_in, page, store};

#[tokio::test]
async fn large_records_come_whole_in_pages_and_in_long_lists() {
    let plan = "0190a000-0009-7000-8000-000000000001";
    let place = "0190a000-0002-7000-8000-000000000001";
    let database = fill_in(&format!(
        "INSERT INTO locations (id, name, name_folded, address, address_folded, tags, tags_folded) \
             VALUES ('{place}', 'a', 'a', '', '', '{{}}', ''); \
         INSERT INTO point_history (operation, recorded_at, id, location_id, name, name_folded, \
             kind, graphic_plans, tags, tags_folded) \
         SELECT 0, now(), gen_random_uuid(), '{place}', 'a', 'a', 0, \
             json_build_array(json_build_object('id', '{plan}', 'further', json_build_array( \
                 json_build_array('note', to_json(repeat('a', \
                     CASE WHEN n % 20 = 7 THEN 2097152 ELSE 10 END))::text)))), '{{}}', '' \
         FROM generate_series(1, 400) AS n"
    ));
    let store = store(&database.url()).await;
    for (limit, most) in [(1_000, 400), (u32::MAX >> 1, 400), (5, 5)] {
        let mut query = page::<HistoryList>(vec![]);
        query.page = Page { limit, offset: 0 };
        // A page with one of the large records can only be sent in parts.
        query.in_parts = true;
        let mut parts = store.list(query);
        let (mut ids, mut large, mut total) = (Vec::new(), 0, None);
        while let Some(part) = parts.next().await {
            match part.unwrap() {
                Part::Total(count) => total = Some(count),
                Part::Rows(rows) => {
                    for row in rows {
                        let note = &row.point.graphic_plans[0].further[0];
                        assert_eq!(note.0, "note");
                        assert!(matches!(note.1.len(), 12 | 2_097_154), "{}", note.1.len());
                        large += usize::from(note.1.len() > 12);
                        ids.push((row.point.id, row.history_id));
                    }
                }
            }
        }
        assert_eq!(ids.len(), most);
        assert!(ids.is_sorted());
        assert_eq!(total, Some(400));
        assert!(limit == 5 || large == 20, "{large}");
    }
}
