//! Tiles behind maps: pictures of the earth in Web Mercator, 256 pixels wide, from a server that the
//! operator names (`PATROL_MAP_TILES`).

use askama::filters::HtmlSafe;

/// The largest zoom that servers of tiles usually have.
const MAX_ZOOM: i32 = 19;
/// The least width of a tile, in units of the map: it bounds the number of tiles of a map.
const LEAST_TILE: f64 = 160.0;

/// A server of tiles.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MapTiles {
    /// The address of a tile, with `{z}`, `{x}` and `{y}` for its zoom, column and row.
    pub template: String,
    /// The scheme, host and port, for the policy of pages with a map.
    pub origin: String,
}

/// A tile on a map.
pub(crate) struct Tile {
    pub(crate) address: String,
    pub(crate) x: Number,
    pub(crate) y: Number,
    pub(crate) size: Number,
}

impl MapTiles {
    /// The tiles between two corners. The world is 1 wide and 1 high; columns beyond its edges are those
    /// of its other side. `scale`: the units of the map for one width of the world.
    pub(crate) fn behind(
        &self,
        (left, top): (f64, f64),
        (right, bottom): (f64, f64),
        scale: f64,
    ) -> Vec<Tile> {
        let fits = |zoom: &i32| scale / 2.0_f64.powi(*zoom) >= LEAST_TILE;
        let zoom = (0..=MAX_ZOOM).rev().find(fits).unwrap_or(0);
        let count = 2.0_f64.powi(zoom);
        let (size, mut row) = (scale / count, (top * count).floor().max(0.0));
        let mut tiles = Vec::new();
        while row < count && row <= bottom * count {
            let mut column = (left * count).floor();
            while column <= right * count {
                tiles.push(Tile {
                    address: self.address(zoom, column.rem_euclid(count), row),
                    x: Number((column / count - left) * scale),
                    y: Number((row / count - top) * scale),
                    size: Number(size),
                });
                column += 1.0;
            }
            row += 1.0;
        }
        tiles
    }

    /// Columns and rows are whole numbers from 0.
    fn address(&self, zoom: i32, column: f64, row: f64) -> String {
        let whole = |number: f64| format!("{:.0}", number + 0.0);
        self.template
            .replace("{z}", &zoom.to_string())
            .replace("{x}", &whole(column))
            .replace("{y}", &whole(row))
    }
}

/// A number of an attribute, with one decimal.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Number(pub(crate) f64);

impl std::fmt::Display for Number {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Adding 0 turns −0 into 0.
        write!(out, "{:.1}", (self.0 * 10.0).round() / 10.0 + 0.0)
    }
}

impl HtmlSafe for Number {}

#[cfg(test)]
mod tests {
    use super::*;

    fn behind(from: (f64, f64), to: (f64, f64), scale: f64) -> Vec<Tile> {
        let tiles = MapTiles {
            template: "https://tile.example.org/{z}/{x}/{y}.png".to_owned(),
            origin: "https://tile.example.org".to_owned(),
        };
        tiles.behind(from, to, scale)
    }

    fn addresses(tiles: &[Tile]) -> Vec<&str> {
        let addresses = tiles.iter().map(|tile| tile.address.as_str());
        addresses.filter_map(|at| at.strip_prefix("https://tile.example.org/")).collect()
    }

    #[test]
    fn tiles_cover_the_map_at_the_zoom_that_fits() {
        // The whole world.
        let world = behind((0.0, 0.0), (0.999, 0.999), 640.0);
        assert_eq!(world.len(), 16);
        assert_eq!(
            (world[5].x, world[5].y, world[5].size),
            (Number(160.0), Number(160.0), Number(160.0))
        );
        assert_eq!(addresses(&world)[5], "2/1/1.png");
        // Greenwich: the tile of zoom 16 is known.
        let (x, y) = (0.5, 0.332_48);
        let near = behind((x, y), (x + 0.000_01, y), 160.0 * 65_536.0);
        assert_eq!(addresses(&near), ["16/32768/21789.png"]);
    }

    #[test]
    fn columns_beyond_the_edge_are_those_of_the_other_side() {
        let over = behind((0.99, 0.5), (1.01, 0.5), 160.0 * 32.0);
        assert_eq!(addresses(&over), ["5/31/16.png", "5/0/16.png"]);
        assert_eq!(addresses(&behind((-0.01, 0.5), (0.01, 0.5), 160.0 * 32.0)), addresses(&over));
        // There is nothing beyond the poles.
        assert_eq!(behind((0.0, -1.0), (0.5, 2.0), 160.0 * 2.0).len(), 4);
    }

    #[test]
    fn the_number_of_tiles_is_bounded() {
        let deep = 160.0 * 2.0_f64.powi(40);
        for scale in [224.0, 640.0, 1e6, deep] {
            let (wide, high) = (640.0 / scale, 640.0 / scale);
            assert!(behind((0.5, 0.3), (0.5 + wide, 0.3 + high), scale).len() <= 36, "{scale}");
        }
    }
}
