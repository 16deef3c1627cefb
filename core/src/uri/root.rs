//! Whether a file lies in a root, by its name alone.
use alloc::{
    string::{String, ToString},
    vec::Vec,
};

use super::chars::{percent_decode, symbols};

/// Why a path is not one of a root. A server answers it as it answers a file that does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Escape {
    /// It lies elsewhere, on another drive or host, or its `..` lead out.
    #[error("outside of the root")]
    Outside,
    /// Neither an absolute path nor an absolute `file` URI; or, for [`Root::resolve`], not a relative path.
    #[error("not an absolute path or `file` URI, or not a relative path where one is wanted")]
    Kind,
    /// Not a URI: a character or escape that none has, a query, a fragment, user information or a port.
    #[error("not a well-formed `file` URI")]
    Malformed,
    /// A name in it holds a separator, escaped or of another system, or NUL, or is one that Windows reads as another:
    /// a device, a stream, a trailing dot or space.
    #[error("a name that a system reads differently")]
    Name,
}

impl Escape {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Outside => "escape.outside",
            Self::Kind => "escape.kind",
            Self::Malformed => "escape.malformed",
            Self::Name => "escape.name",
        }
    }
}

/// What a path begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Volume {
    /// `/`.
    Unix,
    /// `C:\`, the letter upper case.
    Drive(char),
    /// `\\server\share\`, which may differ in case.
    Share { host: String },
}

/// A directory in which files may be used: a root of a client, or the folder a server serves.
///
/// It is given as an absolute path or a `file` URI, and says by its form which rules hold: `C:\data`, `file:///C:/data`,
/// `\\server\share` and `file://server/share` those of Windows, all others those of Unix.
///
/// All of this looks at names alone. **A symbolic link inside the root may lead out of it**: a host that can't rule that out
/// resolves links (`canonicalize`, `realpath`) and checks the outcome again, or opens files relative to the directory
/// without following links. Roots are guidance from 2026-07-28 on, no access control (client/roots).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    volume: Volume,
    names: Vec<String>,
    ignores_case: bool,
}

impl Root {
    /// A root from an absolute path or a `file` URI. `.`, `..`, repeated and trailing slashes are taken out.
    pub fn new(root: &str) -> Result<Self, Escape> {
        let is_windows = if is_uri(root) {
            let (host, path) = file_uri(root)?;
            !host.is_empty() || drive(path.trim_start_matches('/')).is_some()
        } else {
            drive(root).is_some() || root.starts_with("\\\\")
        };
        let (volume, names) = absolute(root, is_windows)?;
        Ok(Self { volume, names, ignores_case: false })
    }

    /// Names that differ in case alone are the same, by Unicode's lower case. For file systems that do so; without it,
    /// `/Data` does not contain `/data/x`. Drive letters and hosts are always compared so.
    #[must_use]
    pub fn ignore_case(mut self) -> Self {
        self.ignores_case = true;
        self
    }

    /// The path of a file given as an absolute path or a `file` URI, if it is the root or lies in it.
    ///
    /// **Use what comes back, not what was given**: it is decoded (once: `%252e` is the name `%2e`), has no `.`, `..` or empty
    /// names, spells the root as the root does, and its separator is `/`, which Windows reads too.
    pub fn contains(&self, candidate: &str) -> Result<String, Escape> {
        let (volume, names) = absolute(candidate, self.volume != Volume::Unix)?;
        let is_inside = volume == self.volume
            && names.len() >= self.names.len()
            && self.names.iter().zip(&names).all(|(own, other)| self.is_same(own, other));
        if !is_inside {
            return Err(Escape::Outside);
        }
        Ok(self.path(names.iter().skip(self.names.len())))
    }

    /// The path of a file given relative to the root, as plain text: a template's value is decoded first
    /// ([`percent_decode`](super::percent_decode)). What comes back is as for [`contains`](Self::contains).
    ///
    /// An absolute path is refused, not taken instead of the root, and so is one whose `..` leave the root on the way,
    /// even if it comes back. Empty text is the root.
    pub fn resolve(&self, relative: &str) -> Result<String, Escape> {
        let is_windows = self.volume != Volume::Unix;
        if relative.starts_with('/')
            || is_windows && (relative.starts_with('\\') || drive(relative).is_some())
        {
            return Err(Escape::Kind);
        }
        let mut names = Vec::new();
        for name in split(relative, is_windows) {
            if name == ".." {
                names.pop().ok_or(Escape::Outside)?;
            } else {
                check(name, is_windows)?;
                names.push(name.to_string());
            }
        }
        Ok(self.path(names.iter()))
    }

    /// The path of the root itself.
    pub fn as_path(&self) -> String {
        self.path([].iter())
    }

    fn path<'a>(&'a self, rest: impl Iterator<Item = &'a String>) -> String {
        let mut path = match &self.volume {
            Volume::Unix => String::new(),
            Volume::Drive(letter) => String::from_iter([*letter, ':']),
            Volume::Share { host } => String::from("//") + host,
        };
        let volume = path.len();
        for name in self.names.iter().chain(rest) {
            path.push('/');
            path.push_str(name);
        }
        if path.len() == volume {
            path.push('/');
        }
        path
    }

    fn is_same(&self, one: &str, other: &str) -> bool {
        if self.ignores_case {
            one.chars().flat_map(char::to_lowercase).eq(other.chars().flat_map(char::to_lowercase))
        } else {
            one == other
        }
    }
}

/// Whether text is an absolute `file` URI: `file://`, a host or none, and a path from `/` on, without query or fragment
/// (RFC 8089). What the `uri` of a root must be (client/roots). Its form is checked, and not whether such a file exists.
pub fn is_file_uri(text: &str) -> bool {
    text.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("file://")) && file_uri(text).is_ok()
}

fn is_uri(text: &str) -> bool {
    text.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("file:"))
}

/// Host, in lower case and empty for the local one, and path of a `file` URI, the path decoded.
fn file_uri(text: &str) -> Result<(String, String), Escape> {
    if symbols(text).any(|symbol| symbol.is_err()) || text.contains(['?', '#']) {
        return Err(Escape::Malformed);
    }
    let rest = text.get(5..).unwrap_or_default();
    let (host, path) = match rest.strip_prefix("//") {
        Some(rest) => rest.split_at(rest.find('/').ok_or(Escape::Malformed)?),
        None if rest.starts_with('/') => ("", rest),
        None => return Err(Escape::Kind),
    };
    if host.contains(['@', ':', '%', '[', ']']) {
        return Err(Escape::Malformed);
    }
    let host = if host.eq_ignore_ascii_case("localhost") { String::new() } else { host.to_lowercase() };
    let mut names = Vec::new();
    for name in path.split('/') {
        let name = percent_decode(name).map_err(|_| Escape::Malformed)?;
        if name.contains(['/', '\\']) {
            return Err(Escape::Name);
        }
        names.push(name);
    }
    Ok((host, names.join("/")))
}

/// The drive letter of a Windows path, in upper case, and what follows the colon.
fn drive(path: &str) -> Option<(char, &str)> {
    let letter = path.chars().next().filter(char::is_ascii_alphabetic)?;
    Some((letter.to_ascii_uppercase(), path.get(1..)?.strip_prefix(':')?))
}

/// Where an absolute path or a `file` URI leads.
fn absolute(text: &str, is_windows: bool) -> Result<(Volume, Vec<String>), Escape> {
    let (volume, path) = if is_uri(text) {
        let (host, path) = file_uri(text)?;
        match drive(path.trim_start_matches('/')) {
            _ if !is_windows && host.is_empty() => (Volume::Unix, path),
            _ if !is_windows => return Err(Escape::Outside),
            _ if !host.is_empty() => (share(host)?, path),
            Some((letter, path)) => (Volume::Drive(letter), path.into()),
            None => return Err(Escape::Outside),
        }
    } else if !is_windows {
        (Volume::Unix, text.into())
    } else if let Some((letter, path)) = drive(text) {
        (Volume::Drive(letter), path.into())
    } else {
        let rest = text
            .strip_prefix(['/', '\\'])
            .and_then(|rest| rest.strip_prefix(['/', '\\']))
            .ok_or(Escape::Kind)?;
        let (host, path) = rest.split_at(rest.find(['/', '\\']).unwrap_or(rest.len()));
        (share(host.to_lowercase())?, path.into())
    };
    if !path.starts_with(|c| c == '/' || is_windows && c == '\\') {
        return Err(Escape::Kind);
    }
    // `..` does not lead above a share.
    let least = usize::from(matches!(volume, Volume::Share { .. }));
    let mut names = Vec::new();
    for name in split(&path, is_windows) {
        if name == ".." {
            names.truncate(names.len().saturating_sub(1).max(least));
        } else {
            check(name, is_windows)?;
            names.push(name.to_string());
        }
    }
    if names.len() < least { Err(Escape::Kind) } else { Ok((volume, names)) }
}

/// `\\?\` and `\\.\` are no hosts, but ways past all rules.
fn share(host: String) -> Result<Volume, Escape> {
    check(&host, true)?;
    Ok(Volume::Share { host })
}

/// The names of a path, without empty ones and `.`.
fn split(path: &str, is_windows: bool) -> impl Iterator<Item = &str> {
    path.split(move |c| c == '/' || is_windows && c == '\\').filter(|name| !matches!(*name, "" | "."))
}

/// Refuses names that a system reads as something else. A backslash is refused on Unix too, where it is legal, because
/// what comes after may not know that.
fn check(name: &str, is_windows: bool) -> Result<(), Escape> {
    if name.contains(['\0', '\\']) {
        return Err(Escape::Name);
    }
    if !is_windows {
        return Ok(());
    }
    let stem = name.split('.').next().unwrap_or_default().trim_end_matches(' ');
    let stem = stem.to_ascii_uppercase();
    // Windows reads the superscript digits of Latin-1 as digits here.
    let port = stem.strip_prefix("COM").or(stem.strip_prefix("LPT"));
    let is_device = matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$")
        || port.is_some_and(|port| {
            let mut number = port.chars();
            matches!(number.next(), Some('0'..='9' | '¹' | '²' | '³')) && number.next().is_none()
        });
    let has_mark =
        name.chars().any(|c| c.is_ascii_control() || matches!(c, '<' | '>' | ':' | '"' | '|' | '?' | '*'));
    if is_device || has_mark || name.ends_with(['.', ' ']) { Err(Escape::Name) } else { Ok(()) }
}
