//! Which values a URI has in a template.
//!
//! A template becomes a short program whose steps only go forward. One pass from the end finds from which positions of the
//! URI the rest of the program fits; one pass from the beginning then takes the preferred way. There is nothing to go back
//! to, whatever the URI.
use alloc::{borrow::Cow, vec, vec::Vec};
use core::ops::Range;

use super::{
    chars::{RESERVED, SUB_DELIMS, Set, Symbol, UNRESERVED, symbols},
    template::{Field, Modifier, Operator, Part, Template, Value},
};

/// A URI longer than this matches no template, in bytes.
pub const MAX_URI_BYTES: usize = 8192;

impl Template {
    /// The variables' values in a URI, in the order of [`variables`](Self::variables), or `None` if the template does not
    /// describe it.
    ///
    /// **Percent-encoding is kept** in what comes back: `{name}` in `..%2Fsecret` is `..%2Fsecret`, so no escape passes for
    /// a slash unnoticed. Decode with [`Value::decode`] or [`percent_decode`](super::percent_decode), once, after which a
    /// file name still has to go through [`Root::resolve`](super::Root::resolve).
    ///
    /// * A URI that the template expands to from strings gives values that expand to it again. Since `{+x}`
    ///   and `{#x}` may be any text, they take whatever an expression behind them does not describe exactly.
    /// * Any other URI is read leniently: reserved characters that a client forgot to escape stand in a value if they divide
    ///   nothing there; names of `{?x}`, `{&x}` and `{;x}` come in any order, unknown ones are ignored, and one that comes
    ///   twice is refused.
    /// * Literals are compared character by character; an unreserved character, and one outside ASCII, is the same escaped
    ///   and as it is.
    /// * Behind `# . / ; ? &` a variable may be absent, and then is not in the result; if it is there and empty, it is empty.
    ///   Without such a mark both look the same, so values of `{x}` and `{+x}` are there and not empty.
    /// * `{x*}` is a [`Value::List`], or [`Value::Pairs`] where names are written that are no variable's. Any other
    ///   is [`Value::Text`]; if it stands for a list, commas divide its items.
    /// * `{x:3}` takes at most three characters, an escaped one being one.
    /// * Where there are several ways, a value takes as much as it can, from left to right; but before something
    ///   optional, as little as it can. Occurrences of one variable must agree in the way that was taken.
    ///
    /// Time and memory grow with the length of the URI times that of the template, never faster: at most 2 passes of
    /// [`MAX_URI_BYTES`] times [`MAX_TEMPLATE_BYTES`](super::MAX_TEMPLATE_BYTES) comparisons. A longer URI, or one with
    /// characters or escapes that no URI has, does not match.
    pub fn matches<'u>(&self, uri: &'u str) -> Option<Vec<(&str, Value<'u>)>> {
        if let Some(Part::Literal { symbols: literal, .. }) = self.parts.first()
            && !symbols(uri)
                .take(literal.len())
                .flatten()
                .map(|(symbol, _)| symbol)
                .eq(literal.iter().copied())
        {
            return None;
        }
        let text = Text::new(uri)?;
        [&self.exact, &self.lenient].into_iter().find_map(|program| self.values(program, &text))
    }

    fn values<'u>(&self, program: &Program, text: &Text<'u>) -> Option<Vec<(&str, Value<'u>)>> {
        let mut found: Vec<(&Field, Value<'u>)> = Vec::new();
        let fields: Vec<&Field> = self.fields().collect();
        for (capture, span) in program.run(&text.symbols)? {
            let value = text.slice(span);
            match capture {
                Capture::Field(index) => {
                    let field = fields.get(index)?;
                    add(&mut found, field, plain(field, value))?;
                }
                Capture::Named(range) => named(&mut found, &fields, range, value)?,
            }
        }
        let value =
            |name: &str| found.iter().find(|(field, _)| field.name == name).map(|(_, value)| value.clone());
        Some(self.variables().filter_map(|name| Some((name, value(name)?))).collect())
    }
}

/// A URI as characters, with where each begins.
struct Text<'u> {
    uri: &'u str,
    symbols: Vec<Symbol>,
    starts: Vec<usize>,
}

impl<'u> Text<'u> {
    fn new(uri: &'u str) -> Option<Self> {
        if uri.len() > MAX_URI_BYTES {
            return None;
        }
        let (symbols, starts) = symbols(uri).collect::<Result<_, _>>().ok()?;
        Some(Self { uri, symbols, starts })
    }
    fn slice(&self, span: Range<usize>) -> &'u str {
        let offset = |at: usize| self.starts.get(at).copied().unwrap_or(self.uri.len());
        self.uri.get(offset(span.start)..offset(span.end)).unwrap_or_default()
    }
}

/// The value of an expression without names.
fn plain<'u>(field: &Field, value: &'u str) -> Value<'u> {
    if field.modifier == Modifier::Explode {
        Value::List(value.split(field.operator.separator()).map(Cow::Borrowed).collect())
    } else {
        Value::from(value)
    }
}

/// The values of the expression with names whose variables are `range` of all; `None` if a name comes twice, is that of a
/// variable that has its own place, or has too long a value.
fn named<'f, 'u>(
    found: &mut Vec<(&'f Field, Value<'u>)>,
    all: &[&'f Field],
    range: Range<usize>,
    text: &'u str,
) -> Option<()> {
    let fields = all.get(range)?;
    let separator = fields.first()?.operator.separator();
    let mut several: Vec<Vec<(&str, &str)>> = vec![Vec::new(); fields.len()];
    for item in text.split(separator).filter(|item| !item.is_empty()) {
        let (name, value) = item.split_once('=').unwrap_or((item, ""));
        let own = fields.iter().position(|field| is_name(&field.name, name));
        let any = || fields.iter().position(|field| field.modifier == Modifier::Explode);
        if own.is_none() && all.iter().any(|field| field.operator.is_named() && is_name(&field.name, name)) {
            return None;
        }
        if let Some(items) = own.or_else(any).and_then(|index| several.get_mut(index)) {
            items.push((name, value));
        }
    }
    for (field, items) in fields.iter().zip(several) {
        match (field.modifier, items.as_slice()) {
            (_, []) => {}
            (Modifier::Explode, items) => {
                let value = if items.iter().all(|(name, _)| is_name(name, &field.name)) {
                    Value::List(items.iter().map(|(_, value)| Cow::Borrowed(*value)).collect())
                } else {
                    let pair =
                        |(name, value): &(&'u str, &'u str)| (Cow::Borrowed(*name), Cow::Borrowed(*value));
                    Value::Pairs(items.iter().map(pair).collect())
                };
                add(found, field, value)?;
            }
            (Modifier::Prefix(length), [(_, value)]) if symbols(value).count() > length.into() => {
                return None;
            }
            (_, [(_, value)]) => add(found, field, Value::from(*value))?,
            (_, [..]) => return None,
        }
    }
    Some(())
}

/// Adds a value; `None` if it contradicts an earlier one of the same variable.
fn add<'f, 'u>(found: &mut Vec<(&'f Field, Value<'u>)>, field: &'f Field, value: Value<'u>) -> Option<()> {
    let Some((first, earlier)) = found.iter_mut().find(|(first, _)| first.name == field.name) else {
        found.push((field, value));
        return Some(());
    };
    let agree = match (earlier.decode().ok()?, value.decode().ok()?) {
        (Value::Text(one), Value::Text(other)) => {
            let whole = if field.most() > first.most() { &other } else { &one };
            let begins = |field: &Field, part: &str| whole.chars().take(field.most()).eq(part.chars());
            begins(first, &one) && begins(field, &other)
        }
        (one, other) => one == other,
    };
    if field.most() > first.most() {
        (*first, *earlier) = (field, value);
    }
    agree.then_some(())
}

/// Whether two spellings of a name are the same.
fn is_name(one: &str, other: &str) -> bool {
    symbols(one).flatten().map(|(symbol, _)| symbol).eq(symbols(other).flatten().map(|(symbol, _)| symbol))
}

/// What a run of characters is.
#[derive(Clone, Debug)]
enum Capture {
    /// The value of one occurrence.
    Field(usize),
    /// Names and values of some.
    Named(Range<usize>),
}

#[derive(Clone, Debug)]
enum Kind {
    /// These characters.
    Literal(Vec<Symbol>),
    /// Characters of a set, at least and at most so many.
    Run { set: Set, least: bool, most: usize, capture: Capture },
    /// The next step if it leads to the end, else this one.
    Optional { otherwise: usize },
}

#[derive(Clone, Debug)]
struct Step {
    kind: Kind,
    /// The step that follows; greater than this one's index.
    next: usize,
}

/// A template as steps.
#[derive(Clone, Debug, Default)]
pub(super) struct Program(Vec<Step>);

const COMMA: Set = Set::of(b",");
const EQUALS: Set = Set::of(b"=");
/// What a value may contain though it should have been escaped.
const FORGIVEN: Set = UNRESERVED.and(SUB_DELIMS).and(Set::of(b":@"));
const QUERY: Set = FORGIVEN.and(Set::of(b"/?"));

/// What divides the items of an exploded value.
const fn divider(operator: Operator) -> Set {
    match operator {
        Operator::Simple | Operator::Reserved | Operator::Fragment => COMMA,
        Operator::Label => Set::of(b"."),
        Operator::Path => Set::of(b"/"),
        Operator::Parameters => Set::of(b";"),
        Operator::Query | Operator::Continuation => Set::of(b"&"),
    }
}

impl Program {
    /// Accepts what expansion writes.
    pub(super) fn exact(parts: &[Part]) -> Self {
        let mut program = Self::default();
        let mut first = 0;
        for part in parts {
            match part {
                Part::Literal { symbols, .. } => program.push(Kind::Literal(symbols.clone())),
                Part::Expression { operator, fields } if operator.is_named() => {
                    program.ordered(*operator, fields, first);
                    first += fields.len();
                }
                Part::Expression { operator, fields } => {
                    program.unnamed(*operator, fields, first, UNRESERVED);
                    first += fields.len();
                }
            }
        }
        program
    }

    /// Accepts that, and values with reserved characters, and names in any order.
    pub(super) fn lenient(parts: &[Part]) -> Self {
        let mut program = Self::default();
        let (mut first, mut rest) = (0, parts);
        while let [part, others @ ..] = rest {
            rest = others;
            match part {
                Part::Literal { symbols, .. } => program.push(Kind::Literal(symbols.clone())),
                Part::Expression { operator, fields } if operator.is_named() => {
                    let (mut end, mut marks) = (first + fields.len(), Vec::from_iter(operator.first()));
                    while let [Part::Expression { operator: next, fields }, others @ ..] = rest
                        && next.is_named()
                        && next.separator() == operator.separator()
                    {
                        end += fields.len();
                        marks.extend(next.first().filter(|mark| !marks.contains(mark)));
                        rest = others;
                    }
                    let set = if *operator == Operator::Parameters { FORGIVEN } else { QUERY };
                    program.unordered(&marks, set, first..end);
                    first = end;
                }
                Part::Expression { operator, fields } => {
                    program.unnamed(*operator, fields, first, FORGIVEN);
                    first += fields.len();
                }
            }
        }
        program
    }

    fn push(&mut self, kind: Kind) {
        self.0.push(Step { kind, next: self.0.len() + 1 });
    }

    fn mark(&mut self, mark: char) {
        self.push(Kind::Literal(vec![Symbol::Plain(mark)]));
    }

    /// `{x,y}`, `{+x,y}`, `{#x,y}`, `{.x,y}`, `{/x,y}`; `set` is what a value may have that keeps nothing.
    fn unnamed(&mut self, operator: Operator, fields: &[Field], first: usize, set: Set) {
        let mut absences = Vec::new();
        for (index, field) in fields.iter().enumerate() {
            let mark = if index == 0 { operator.first() } else { Some(operator.separator()) };
            if operator.first().is_some() {
                absences.push(self.0.len());
                self.push(Kind::Optional { otherwise: 0 });
            }
            if let Some(mark) = mark {
                self.mark(mark);
            }
            let set = match (operator.keeps_reserved(), field.modifier == Modifier::Explode) {
                (true, _) => UNRESERVED.and(RESERVED),
                (false, true) => set.and(divider(operator)).and(EQUALS),
                // A comma in the only value divides the items of a list.
                (false, false) if operator == Operator::Simple && fields.len() > 1 => set.without(COMMA),
                (false, false) => set,
            };
            let least = operator.first().is_none();
            self.push(Kind::Run { set, least, most: field.most(), capture: Capture::Field(first + index) });
        }
        self.end_here(&absences);
    }

    /// `{;x,y}`, `{?x,y}`, `{&x,y}` in the order of the template: each variable has one way for when it is the first
    /// that is there, and one for when another was there before.
    fn ordered(&mut self, operator: Operator, fields: &[Field], first: usize) {
        // The steps that lead to the next variable, while none was there and once one was.
        let (mut none, mut some) = (Vec::new(), Vec::new());
        for (index, field) in (first..).zip(fields) {
            let mut ends = Vec::new();
            self.end_here(&none);
            none = vec![self.0.len()];
            self.parameter(operator.first(), field, index, &mut ends);
            if !some.is_empty() {
                self.end_here(&some);
                some = vec![self.0.len()];
                self.parameter(Some(operator.separator()), field, index, &mut ends);
            }
            some.append(&mut ends);
        }
        none.append(&mut some);
        self.end_here(&none);
    }

    /// One variable with its name, or nothing; `ends` are the steps after which it is complete.
    fn parameter(&mut self, mark: Option<char>, field: &Field, index: usize, ends: &mut Vec<usize>) {
        self.push(Kind::Optional { otherwise: 0 });
        let (mut literal, most) = (mark.map(Symbol::Plain).into_iter().collect::<Vec<_>>(), field.most());
        if field.modifier == Modifier::Explode {
            self.push(Kind::Literal(literal));
            let set = UNRESERVED.and(EQUALS).and(divider(field.operator));
            self.push(Kind::Run { set, least: true, most, capture: Capture::Named(index..index + 1) });
            ends.push(self.0.len() - 1);
        } else {
            literal.extend(symbols(&field.name).flatten().map(|(symbol, _)| symbol));
            let mut run = |program: &mut Self, least, most| {
                program.push(Kind::Run { set: UNRESERVED, least, most, capture: Capture::Field(index) });
                ends.push(program.0.len() - 1);
            };
            if field.operator == Operator::Parameters {
                // An empty one is its name alone.
                self.push(Kind::Literal(literal));
                let empty = self.0.len();
                self.push(Kind::Optional { otherwise: 0 });
                self.mark('=');
                run(self, true, most);
                self.end_here(&[empty]);
                run(self, false, 0);
            } else {
                literal.push(Symbol::Plain('='));
                self.push(Kind::Literal(literal));
                run(self, false, most);
            }
        }
    }

    /// `{;x,y}`, `{?x,y}{&z}` in any order.
    fn unordered(&mut self, marks: &[char], set: Set, fields: Range<usize>) {
        let (mut absent, mut begun) = (Vec::new(), Vec::new());
        for mark in marks {
            self.end_here(&absent);
            absent = vec![self.0.len()];
            self.push(Kind::Optional { otherwise: 0 });
            begun.push(self.0.len());
            self.mark(*mark);
        }
        self.end_here(&begun);
        self.push(Kind::Run { set, least: false, most: usize::MAX, capture: Capture::Named(fields) });
        self.end_here(&absent);
    }

    /// Lets these steps go on with the one that comes next: the way past an optional one, the end of any other.
    fn end_here(&mut self, steps: &[usize]) {
        let here = self.0.len();
        for index in steps {
            match self.0.get_mut(*index) {
                Some(Step { kind: Kind::Optional { otherwise }, .. }) => *otherwise = here,
                Some(step) => step.next = here,
                None => {}
            }
        }
    }
    /// What each run took of a text that the program fits as a whole.
    fn run(&self, text: &[Symbol]) -> Option<Vec<(Capture, Range<usize>)>> {
        let fits = Fits::new(self, text);
        let (mut index, mut at, mut captures) = (0, 0, Vec::new());
        if !fits.has(0, 0) {
            return None;
        }
        while let Some(Step { kind, next }) = self.0.get(index) {
            index = *next;
            match kind {
                Kind::Literal(symbols) => at += symbols.len(),
                Kind::Optional { otherwise } if !fits.has(index, at) => index = *otherwise,
                Kind::Optional { .. } => {}
                Kind::Run { set, least, most, capture } => {
                    let taken =
                        text.iter().skip(at).take(*most).take_while(|symbol| symbol.is_in(*set)).count();
                    let mut ends = at + usize::from(*least)..=at + taken;
                    let is_value = matches!(capture, Capture::Field(_));
                    let is_before_optional = is_value
                        && matches!(self.0.get(index), Some(Step { kind: Kind::Optional { .. }, .. }));
                    let fit = |end: &usize| fits.has(index, *end);
                    let end = if is_before_optional { ends.find(fit) } else { ends.rfind(fit) }?;
                    captures.push((capture.clone(), at..end));
                    at = end;
                }
            }
        }
        Some(captures)
    }
}

/// From which positions of a text each step leads to its end, one bit each.
struct Fits {
    bits: Vec<u64>,
    /// Positions a step, the end of the text being one.
    width: usize,
}

impl Fits {
    fn new(program: &Program, text: &[Symbol]) -> Self {
        let (steps, width) = (program.0.len(), text.len() + 1);
        let mut fits = Self { bits: vec![0; ((steps + 1) * width).div_ceil(64)], width };
        fits.set(steps, text.len());
        for (index, Step { kind, next }) in program.0.iter().enumerate().rev() {
            let next = *next;
            match kind {
                Kind::Literal(symbols) => {
                    for at in 0..=text.len().saturating_sub(symbols.len()) {
                        if fits.has(next, at + symbols.len())
                            && text.get(at..).is_some_and(|rest| rest.starts_with(symbols))
                        {
                            fits.set(index, at);
                        }
                    }
                }
                Kind::Optional { otherwise } => {
                    for at in 0..width {
                        if fits.has(next, at) || fits.has(*otherwise, at) {
                            fits.set(index, at);
                        }
                    }
                }
                Kind::Run { set, least, most, .. } => {
                    // How many characters from here on the run may take, and the next end from which the rest fits.
                    let (mut room, mut end) = (0, None);
                    for at in (0..width).rev() {
                        room = match text.get(at) {
                            Some(symbol) if symbol.is_in(*set) => room + 1,
                            _ => 0,
                        };
                        let here = fits.has(next, at).then_some(at);
                        let nearest = if *least { end } else { here.or(end) };
                        if nearest.is_some_and(|end| end - at <= room.min(*most)) {
                            fits.set(index, at);
                        }
                        end = here.or(end);
                    }
                }
            }
        }
        fits
    }
    fn has(&self, step: usize, at: usize) -> bool {
        let bit = step * self.width + at;
        at < self.width && self.bits.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1)
    }
    fn set(&mut self, step: usize, at: usize) {
        let bit = step * self.width + at;
        if let Some(word) = self.bits.get_mut(bit / 64) {
            *word |= 1 << (bit % 64);
        }
    }
}
