//! What holds for every root and path, whatever they are. Shared with `fuzz/`.
use mcp_sansio::uri::Root;

/// A root and a candidate, or what comes after the root. Says whether the candidate lies in it.
pub fn check_root(root: &str, candidate: &str) -> bool {
    let Ok(root) = Root::new(root) else { return false };
    let base = root.as_path();
    let mut is_inside = false;
    for path in [root.contains(candidate), root.resolve(candidate)].into_iter().flatten() {
        let rest = path
            .strip_prefix(base.trim_end_matches('/'))
            .unwrap_or_else(|| panic!("{path:?} is not in {base:?}"));
        assert!(rest.is_empty() || rest.starts_with('/'), "{path:?} only begins like {base:?}");
        let names: Vec<&str> = rest.split('/').skip(1).collect();
        assert!(names.iter().all(|name| !matches!(*name, "." | "..")), "{path:?} has dots");
        assert!(rest == "/" || names.iter().all(|name| !name.is_empty()), "{path:?} has an empty name");
        assert!(!path.contains(['\0', '\\']), "{path:?}");
        assert_eq!(root.contains(&path), Ok(path.clone()), "not the same twice");
        is_inside = true;
    }
    is_inside
}
