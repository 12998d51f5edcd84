//! The imports between the files of a crate.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    fs,
    path::{Path, PathBuf},
};

use syn::{
    Attribute, Item, UseTree, Visibility,
    visit::{self, Visit},
};

/// The names of a path: `["crate", "list", "Query"]`.
type Names = Vec<String>;

/// The production code of a module. An inline module has the file of the module around it.
#[derive(Default)]
struct Module {
    file: PathBuf,
    /// The names of what the module declares.
    items: BTreeSet<String>,
    /// What its `use` declarations name, by the name they give it.
    imports: BTreeMap<String, Names>,
    /// The modules from which it imports everything.
    globs: Vec<Names>,
    /// What its code uses. A re-export uses nothing.
    uses: Vec<Names>,
}

/// The longest chain of re-exports that is followed.
const MAX_STEPS: usize = 20;

/// The modules of a crate, by their path from its root.
type Modules = BTreeMap<Names, Module>;

/// The files that each file of a crate imports. A file imports another one if its production code names
/// something that the other declares; files without imports are left out.
pub(crate) type Imports = BTreeMap<PathBuf, BTreeSet<PathBuf>>;

/// The imports between the files below `root`, the folder `src` of a crate.
pub(crate) fn of_crate(root: &Path) -> Imports {
    let mut modules = Modules::new();
    for file in ["lib.rs", "main.rs"].map(|name| root.join(name)) {
        if file.exists() {
            read(&mut modules, Names::new(), &file, root);
        }
    }
    let mut imports = Imports::new();
    for (path, module) in &modules {
        let used = module.uses.iter().filter_map(|used| declares(&modules, path, used, 0));
        for file in used.filter(|file| *file != module.file) {
            imports.entry(module.file.clone()).or_default().insert(file.to_owned());
        }
    }
    imports
}

/// For each file that imports itself over others, the shortest such cycle; each cycle once.
pub(crate) fn cycles(imports: &Imports) -> Vec<Vec<&Path>> {
    let mut found = BTreeMap::new();
    for start in imports.keys() {
        if let Some(cycle) = shortest(imports, start) {
            let files: BTreeSet<_> = cycle.iter().copied().collect();
            found.entry(files).or_insert(cycle);
        }
    }
    found.into_values().collect()
}

/// The shortest way from `start` over imports back to it.
fn shortest<'i>(imports: &'i Imports, start: &'i Path) -> Option<Vec<&'i Path>> {
    let mut ways = VecDeque::from([vec![start]]);
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop_front() {
        for next in imports.get(*way.last()?).into_iter().flatten() {
            if next == start {
                return Some(way);
            }
            if seen.insert(next) {
                ways.push_back(way.iter().copied().chain([next.as_path()]).collect());
            }
        }
    }
    None
}

/// The file that declares what `names` stands for in the module `path`: `None` for a module, and for
/// what is not of this crate.
///
/// `depth` is the number of steps so far. Imports of one name from two places could be followed for ever.
fn declares<'m>(
    modules: &'m Modules,
    path: &[String],
    names: &[String],
    depth: usize,
) -> Option<&'m Path> {
    let module = modules.get(path)?;
    let (first, rest) = names.split_first()?;
    let below = |child: &str| [path, &[child.to_owned()]].concat();
    match first.as_str() {
        _ if depth > MAX_STEPS => None,
        "crate" => declares(modules, &[], rest, depth + 1),
        "self" => declares(modules, path, rest, depth + 1),
        "super" => declares(modules, path.split_last()?.1, rest, depth + 1),
        name if modules.contains_key(&below(name)) => {
            declares(modules, &below(name), rest, depth + 1)
        }
        name if module.items.contains(name) => Some(&module.file),
        name => match module.imports.get(name) {
            Some(target) => {
                let target = [target.as_slice(), rest].concat();
                (target != names).then(|| declares(modules, path, &target, depth + 1)).flatten()
            }
            None => module.globs.iter().find_map(|glob| {
                declares(modules, path, &[glob.as_slice(), names].concat(), depth + 1)
            }),
        },
    }
}

fn read(modules: &mut Modules, path: Names, file: &Path, folder: &Path) {
    let text =
        fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let parsed =
        syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    add(modules, path, file, folder, &parsed.items);
}

fn add(modules: &mut Modules, path: Names, file: &Path, folder: &Path, items: &[Item]) {
    let mut reader = Reader(Module { file: file.to_owned(), ..Module::default() });
    for item in items.iter().filter(|item| !is_for_tests(item)) {
        if let Some(name) = name(item) {
            reader.0.items.insert(name);
        }
        let Item::Mod(module) = item else {
            reader.visit_item(item);
            continue;
        };
        let name = module.ident.to_string();
        let below: Names = path.iter().cloned().chain([name.clone()]).collect();
        let folder = folder.join(&name);
        match &module.content {
            Some((_, items)) => add(modules, below, file, &folder, items),
            None => {
                let alone = folder.with_extension("rs");
                let file = if alone.exists() { alone } else { folder.join("mod.rs") };
                read(modules, below, &file, &folder);
            }
        }
    }
    modules.insert(path, reader.0);
}

/// Reads the imports and paths of a module.
struct Reader(Module);

impl Visit<'_> for Reader {
    fn visit_item(&mut self, item: &Item) {
        if !is_for_tests(item) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &syn::ItemUse) {
        let is_private = matches!(item.vis, Visibility::Inherited);
        self.import(&mut Names::new(), &item.tree, is_private);
    }

    fn visit_path(&mut self, path: &syn::Path) {
        if path.segments.len() > 1 {
            self.0.uses.push(path.segments.iter().map(|part| part.ident.to_string()).collect());
        }
        visit::visit_path(self, path);
    }
}

impl Reader {
    fn import(&mut self, before: &mut Names, tree: &UseTree, is_private: bool) {
        let (name, target) = match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.import(before, &path.tree, is_private);
                before.pop();
                return;
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(before, tree, is_private);
                }
                return;
            }
            UseTree::Glob(_) => return self.0.globs.push(before.clone()),
            UseTree::Name(name) if name.ident == "self" => {
                (before.last().cloned().unwrap_or_default(), before.clone())
            }
            UseTree::Name(name) => {
                let name = name.ident.to_string();
                (name.clone(), before.iter().cloned().chain([name]).collect())
            }
            UseTree::Rename(rename) => {
                let name = rename.ident.to_string();
                let target = before.iter().cloned().chain([name]).filter(|name| name != "self");
                (rename.rename.to_string(), target.collect())
            }
        };
        if is_private {
            self.0.uses.push(target.clone());
        }
        self.0.imports.insert(name, target);
    }
}

fn name(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        _ => return None,
    };
    Some(ident.to_string())
}

fn is_for_tests(item: &Item) -> bool {
    let attributes = match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        _ => return false,
    };
    let is_test = |attribute: &Attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    };
    attributes.iter().any(is_test)
}

#[test]
fn cycles_are_found_over_re_exports_and_in_both_layouts_of_modules() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let write = |file: &str, text: &str| {
        let file = root.join(file);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, text).expect("a file");
    };
    write("lib.rs", "mod a; mod b; mod c; pub use a::A;");
    write("a.rs", "use crate::b::B; pub struct A(B);");
    write("b/mod.rs", "mod inner; pub use inner::B;");
    write("b/inner.rs", "pub struct B; #[cfg(test)] mod tests { use crate::A; }");
    write("c.rs", "fn c() -> crate::A { todo!() }");
    let imports = of_crate(root);
    assert_eq!(imports[&root.join("a.rs")], BTreeSet::from([root.join("b/inner.rs")]));
    assert_eq!(imports[&root.join("c.rs")], BTreeSet::from([root.join("a.rs")]));
    assert_eq!(cycles(&imports), Vec::<Vec<&Path>>::new());

    write("b/inner.rs", "pub struct B; impl B { fn a() -> crate::A { todo!() } }");
    let imports = of_crate(root);
    assert_eq!(cycles(&imports), [[root.join("a.rs"), root.join("b/inner.rs")]]);
}
