//! RFC 6570 templates: their grammar, and which of two says more.
use alloc::{borrow::Cow, string::String, vec::Vec};
use core::{cmp::Reverse, fmt};

use super::{
    chars::{Symbol, UNRESERVED, escape, percent_decode, symbols},
    matching::Program,
};
use crate::error::UriError;

/// The longest template that [`Template::parse`] takes, in bytes.
pub const MAX_TEMPLATE_BYTES: usize = 4096;
/// How many variables a template may have, counted each time they occur.
pub const MAX_VARIABLES: usize = 64;

/// What a variable stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// One string.
    Text(Cow<'a, str>),
    /// Several, in order. An empty list is an absent value (RFC 6570, section 2.3).
    List(Vec<Cow<'a, str>>),
    /// Names with their values, in order. None at all is an absent value.
    Pairs(Vec<(Cow<'a, str>, Cow<'a, str>)>),
}

impl Value<'_> {
    /// The string, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::List(_) | Self::Pairs(_) => None,
        }
    }

    /// The same with every part decoded by [`percent_decode`], and its errors; the offset is that within the part.
    pub fn decode(&self) -> Result<Value<'static>, UriError> {
        let decode = |text: &str| percent_decode(text).map(|text| Cow::Owned(text.into_owned()));
        Ok(match self {
            Self::Text(text) => Value::Text(decode(text)?),
            Self::List(items) => {
                Value::List(items.iter().map(|item| decode(item)).collect::<Result<_, _>>()?)
            }
            Self::Pairs(pairs) => {
                let pairs = pairs.iter().map(|(name, value)| Ok((decode(name)?, decode(value)?)));
                Value::Pairs(pairs.collect::<Result<_, _>>()?)
            }
        })
    }

    /// Whether it counts as absent.
    pub(super) fn is_absent(&self) -> bool {
        match self {
            Self::Text(_) => false,
            Self::List(items) => items.is_empty(),
            Self::Pairs(pairs) => pairs.is_empty(),
        }
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

/// How an expression is written out: RFC 6570, section 2.2 and appendix A.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Simple,
    Reserved,
    Fragment,
    Label,
    Path,
    Parameters,
    Query,
    Continuation,
}

impl Operator {
    /// What stands before the first value, and whether there is such a mark at all.
    pub fn first(self) -> Option<char> {
        match self {
            Self::Simple | Self::Reserved => None,
            Self::Fragment => Some('#'),
            Self::Label => Some('.'),
            Self::Path => Some('/'),
            Self::Parameters => Some(';'),
            Self::Query => Some('?'),
            Self::Continuation => Some('&'),
        }
    }
    /// What stands between two values.
    pub fn separator(self) -> char {
        match self {
            Self::Simple | Self::Reserved | Self::Fragment => ',',
            Self::Label => '.',
            Self::Path => '/',
            Self::Parameters => ';',
            Self::Query | Self::Continuation => '&',
        }
    }
    /// Whether values are written with their names.
    pub fn is_named(self) -> bool {
        matches!(self, Self::Parameters | Self::Query | Self::Continuation)
    }
    /// Whether reserved characters and escapes in a value are written as they are.
    pub fn keeps_reserved(self) -> bool {
        matches!(self, Self::Reserved | Self::Fragment)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Modifier {
    None,
    /// At most so many characters, from 1 to 9999.
    Prefix(u16),
    Explode,
}

/// One occurrence of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub name: String,
    pub operator: Operator,
    pub modifier: Modifier,
    /// Where it stands in the template.
    pub offset: usize,
}

impl Field {
    /// How many characters its value may have.
    pub fn most(&self) -> usize {
        if let Modifier::Prefix(length) = self.modifier { length.into() } else { usize::MAX }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// As it stands in the template, and its characters.
    Literal {
        text: String,
        symbols: Vec<Symbol>,
    },
    Expression {
        operator: Operator,
        fields: Vec<Field>,
    },
}

/// How much a template says: the greater of two that match a URI describes it more closely.
///
/// More literal characters decide, then fewer values that may contain any character or several values (`+`, `#`, `*`), then fewer
/// variables, then more prefix modifiers. Templates that are equal in all of these compare as equal; then the one declared
/// first is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Specificity {
    literals: usize,
    wide: Reverse<usize>,
    variables: Reverse<usize>,
    prefixes: usize,
}

/// A URI template of RFC 6570, all four levels: what `uriTemplate` of a resource template is (server/resources).
///
/// Two templates are equal if they are the same text.
#[derive(Clone)]
pub struct Template {
    source: String,
    pub(super) parts: Vec<Part>,
    names: Vec<String>,
    /// What expansion writes.
    pub(super) exact: Program,
    /// What else is read as if it did.
    pub(super) lenient: Program,
}

impl Template {
    /// Checks and compiles a template. Literal text may contain characters outside ASCII and escapes.
    ///
    /// # Errors
    /// The offset and what is wrong there: a brace that is not closed, a character no URI has, an operator that RFC 6570 keeps for
    /// later, a name or modifier that is none, more than [`MAX_TEMPLATE_BYTES`] or [`MAX_VARIABLES`].
    pub fn parse(source: &str) -> Result<Self, UriError> {
        if source.len() > MAX_TEMPLATE_BYTES {
            return Err(UriError::new(MAX_TEMPLATE_BYTES, "the template is longer than 4096 bytes"));
        }
        let (mut parts, mut names, mut at, mut count) = (Vec::new(), Vec::new(), 0, 0);
        while let Some(rest) = source.get(at..).filter(|rest| !rest.is_empty()) {
            let (part, length) = if let Some(inside) = rest.strip_prefix('{') {
                let (body, _) = inside.split_once('}').ok_or(UriError::new(at, "`{` without `}`"))?;
                let part = expression(body, at + 1)?;
                (part, body.len() + 2)
            } else {
                literal(rest, at)?
            };
            if let Part::Expression { fields, .. } = &part {
                count += fields.len();
                if count > MAX_VARIABLES {
                    return Err(UriError::new(at, "the template has more than 64 variables"));
                }
                for Field { name, .. } in fields {
                    if !names.contains(name) {
                        names.push(name.clone());
                    }
                }
            }
            parts.push(part);
            at += length;
        }
        let (exact, lenient) = (Program::exact(&parts), Program::lenient(&parts));
        Ok(Self { source: source.into(), parts, names, exact, lenient })
    }

    /// The template as it was given.
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// The names of the variables, each once, in the order in which they first occur.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// How much the template says, to choose between two that match.
    pub fn specificity(&self) -> Specificity {
        let literals = self.parts.iter().map(|part| match part {
            Part::Literal { symbols, .. } => symbols.len(),
            Part::Expression { .. } => 0,
        });
        let wide = |field: &&Field| field.operator.keeps_reserved() || field.modifier == Modifier::Explode;
        Specificity {
            literals: literals.sum(),
            wide: Reverse(self.fields().filter(wide).count()),
            variables: Reverse(self.fields().count()),
            prefixes: self.fields().filter(|field| matches!(field.modifier, Modifier::Prefix(_))).count(),
        }
    }

    /// Each occurrence of a variable, in order.
    pub(super) fn fields(&self) -> impl Iterator<Item = &Field> {
        self.parts.iter().flat_map(|part| match part {
            Part::Literal { .. } => &[],
            Part::Expression { fields, .. } => fields.as_slice(),
        })
    }
}

impl PartialEq for Template {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for Template {}

impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Template").field(&self.source).finish()
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

/// Literal text up to the next expression: section 2.1.
fn literal(rest: &str, offset: usize) -> Result<(Part, usize), UriError> {
    let text = rest.split('{').next().unwrap_or_default();
    let symbols = symbols(text).map(|each| each.map(|(symbol, _)| symbol));
    let symbols = symbols
        .collect::<Result<_, _>>()
        .map_err(|error| UriError::new(offset + error.offset, error.reason))?;
    Ok((Part::Literal { text: text.into(), symbols }, text.len()))
}

/// What stands between the braces: section 2.2.
fn expression(body: &str, mut offset: usize) -> Result<Part, UriError> {
    let operator = match body.as_bytes().first() {
        Some(b'+') => Operator::Reserved,
        Some(b'#') => Operator::Fragment,
        Some(b'.') => Operator::Label,
        Some(b'/') => Operator::Path,
        Some(b';') => Operator::Parameters,
        Some(b'?') => Operator::Query,
        Some(b'&') => Operator::Continuation,
        Some(b'=' | b',' | b'!' | b'@' | b'|') => {
            return Err(UriError::new(offset, "an operator that RFC 6570 reserves"));
        }
        _ => Operator::Simple,
    };
    let list = if operator == Operator::Simple { body } else { body.get(1..).unwrap_or_default() };
    offset += body.len() - list.len();
    let mut fields = Vec::new();
    for spec in list.split(',') {
        let (name, modifier) = modifier(spec, offset)?;
        check_name(name, offset)?;
        fields.push(Field { name: name.into(), operator, modifier, offset });
        offset += spec.len() + 1;
    }
    Ok(Part::Expression { operator, fields })
}

/// Name and modifier of a variable: section 2.4.
fn modifier(spec: &str, offset: usize) -> Result<(&str, Modifier), UriError> {
    if let Some(name) = spec.strip_suffix('*') {
        return Ok((name, Modifier::Explode));
    }
    let Some((name, digits)) = spec.split_once(':') else { return Ok((spec, Modifier::None)) };
    let wanted = UriError::new(offset + name.len() + 1, "a prefix length is a number from 1 to 9999");
    let is_number =
        digits.len() <= 4 && !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
    let length = digits.parse().ok().filter(|_| is_number).ok_or(wanted)?;
    Ok((name, Modifier::Prefix(length)))
}

/// A name is made of letters, digits, `_` and escapes, with single dots inside: section 2.3.
fn check_name(name: &str, offset: usize) -> Result<(), UriError> {
    let (mut at, mut after_dot) = (0, true);
    while let Some(byte) = name.as_bytes().get(at) {
        let is_escape = name.as_bytes().get(at..).and_then(escape).is_some();
        let is_dot = *byte == b'.';
        let is_letter = UNRESERVED.has(*byte) && !matches!(byte, b'-' | b'~' | b'.');
        if !(is_escape || is_letter || is_dot && !after_dot) {
            return Err(UriError::new(offset + at, "a character that no variable name has here"));
        }
        at += if is_escape { 3 } else { 1 };
        after_dot = is_dot;
    }
    if after_dot {
        Err(UriError::new(offset + at, "a variable name is missing or ends with a dot"))
    } else {
        Ok(())
    }
}
