//! The three shapes of the schemas: objects, words and unions. Each macro writes a type with its [`Model`](super::Model),
//! and with `serde`'s two traits by way of it.

/// `serde`'s traits by way of `Model`.
macro_rules! serde_by_model {
    ($name:ident $(<$param:ident>)?) => {
        impl<'de: 'a, 'a $(, $param: $crate::model::Model<'a>)?> serde::Deserialize<'de> for $name<'a $(, $param)?> {
            fn deserialize<From: serde::Deserializer<'de>>(from: From) -> Result<Self, From::Error> {
                $crate::model::codec::deserialize(from)
            }
        }
        impl<'a $(, $param: $crate::model::Model<'a>)?> serde::Serialize for $name<'a $(, $param)?> {
            fn serialize<To: serde::Serializer>(&self, to: To) -> Result<To::Ok, To::Error> {
                $crate::model::codec::serialize(self, to)
            }
        }
    };
}

/// Objects. The first block has the members that each revision with this object requires: `new` takes them. Those of the
/// second are `Option`s. `("type" = "text")` after the name is a member that says what the object is.
macro_rules! objects {
    ($(
        $(#[$doc:meta])*
        $name:ident $(<$param:ident>)? $(($tag:literal = $word:literal))? {
            $( $(#[$required_doc:meta])* $required_key:literal => $required:ident: $required_type:ty, )*
        } optional {
            $( $(#[$optional_doc:meta])* $optional_key:literal => $optional:ident: $optional_type:ty, )*
        }
    )*) => { $(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name<'a $(, $param)?> {
            $( $(#[$required_doc])* pub $required: $required_type, )*
            $( $(#[$optional_doc])* pub $optional: Option<$optional_type>, )*
            /// Members that none of the five revisions names, in their order.
            pub extra: $crate::model::Map<'a, $crate::model::Raw<'a>>,
        }

        impl<'a $(, $param)?> $name<'a $(, $param)?> {
            /// One with the members that it must have.
            pub fn new($($required: impl Into<$required_type>),*) -> Self {
                Self {
                    $( $required: $required.into(), )*
                    $( $optional: None, )*
                    extra: $crate::model::Map::default(),
                }
            }
        }

        impl<'a $(, $param: $crate::model::Model<'a>)?> $crate::model::Model<'a> for $name<'a $(, $param)?> {
            type Owned = $name<'static $(, $param::Owned)?>;
            #[allow(unused_mut, clippy::allow_attributes, reason = "an object may have no member of a kind")]
            fn read(json: $crate::json::Json<'a>) -> Result<Self, $crate::model::Misfit> {
                $( let mut $required = None; )*
                $( let mut $optional = None; )*
                let mut extra = $crate::model::Map::default();
                $( let mut tag = (None, $word).0; )?
                for (key, value) in $crate::model::codec::members(json)? {
                    match &*key {
                        $( $required_key => $required = Some(value), )*
                        $( $optional_key => $optional = Some(value), )*
                        $( $tag => tag = Some(value), )?
                        _ => extra.0.push((key, $crate::model::Raw::read(value)?)),
                    }
                }
                $( $crate::model::codec::expect_tag($tag, $word, tag)?; )?
                Ok(Self {
                    $( $required: $crate::model::codec::member($required_key, $required)?, )*
                    $( $optional: $crate::model::codec::member($optional_key, $optional)?, )*
                    extra,
                })
            }
            fn write(&self, out: &mut alloc::string::String) {
                let mut object = $crate::model::codec::ObjectWriter::new(out);
                $( object.tag($tag, $word); )?
                $( object.member($required_key, &self.$required); )*
                $( object.member($optional_key, &self.$optional); )*
                object.extra(&self.extra, &[$($tag,)? $($required_key,)* $($optional_key,)*]);
                object.end();
            }
            fn into_owned(self) -> Self::Owned {
                $name {
                    $( $required: $crate::model::Model::into_owned(self.$required), )*
                    $( $optional: $crate::model::Model::into_owned(self.$optional), )*
                    extra: self.extra.into_owned(),
                }
            }
            fn find_unknown(&self, unknown: &mut $crate::model::Unknown) {
                $( unknown.within($required_key, |unknown| self.$required.find_unknown(unknown)); )*
                $( unknown.within($optional_key, |unknown| self.$optional.find_unknown(unknown)); )*
                for (key, _) in self.extra.iter() {
                    unknown.within(key, $crate::model::Unknown::report);
                }
            }
        }

        serde_by_model!($name $(<$param>)?);
        default_of_optional!($name $(<$param>)?: $($required)*);
    )* };
}

/// An object without required members has a `Default`.
macro_rules! default_of_optional {
    ($name:ident:) => {
        impl Default for $name<'_> {
            fn default() -> Self {
                Self::new()
            }
        }
    };
    ($name:ident $(<$param:ident>)?: $($required:ident)+) => {};
}

/// Strings with a meaning, any other of which is kept.
macro_rules! words {
    ($(
        $(#[$doc:meta])*
        $name:ident {
            $( $(#[$word_doc:meta])* $variant:ident = $word:literal, )*
        }
    )*) => { $(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum $name<'a> {
            $( $(#[$word_doc])* $variant, )*
            /// Any other.
            Other(alloc::borrow::Cow<'a, str>),
        }

        impl $name<'_> {
            /// The word on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $( Self::$variant => $word, )*
                    Self::Other(word) => word,
                }
            }
        }

        impl<'a, T: Into<alloc::borrow::Cow<'a, str>>> From<T> for $name<'a> {
            fn from(word: T) -> Self {
                let word = word.into();
                match &*word {
                    $( $word => Self::$variant, )*
                    _ => Self::Other(word),
                }
            }
        }

        impl<'a> $crate::model::Model<'a> for $name<'a> {
            type Owned = $name<'static>;
            fn read(json: $crate::json::Json<'a>) -> Result<Self, $crate::model::Misfit> {
                alloc::borrow::Cow::read(json).map(Self::from)
            }
            fn write(&self, out: &mut alloc::string::String) {
                $crate::jsonrpc::write::string(out, self.as_str());
            }
            fn into_owned(self) -> Self::Owned {
                match self {
                    $( Self::$variant => $name::$variant, )*
                    Self::Other(word) => $name::Other(alloc::borrow::Cow::Owned(word.into_owned())),
                }
            }
            fn find_unknown(&self, unknown: &mut $crate::model::Unknown) {
                if let Self::Other(_) = self {
                    unknown.report();
                }
            }
        }

        serde_by_model!($name);
    )* };
}

/// Objects of several kinds. What stands after `by` labels the JSON of one; any other label, or none, is kept whole.
macro_rules! unions {
    ($(
        $(#[$doc:meta])*
        $name:ident by $label:expr => {
            $( $(#[$variant_doc:meta])* $key:literal => $variant:ident($of:ty), )*
        }
    )*) => { $(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[allow(clippy::large_enum_variant, clippy::allow_attributes, reason = "moved seldom, boxed never")]
        pub enum $name<'a> {
            $( $(#[$variant_doc])* $variant($of), )*
            /// Any other, whole.
            Other($crate::model::Object<'a>),
        }

        impl<'a> $crate::model::Model<'a> for $name<'a> {
            type Owned = $name<'static>;
            fn read(json: $crate::json::Json<'a>) -> Result<Self, $crate::model::Misfit> {
                match $label(json).as_deref() {
                    $( Some($key) => <$of>::read(json).map(Self::$variant), )*
                    _ => $crate::model::Object::read(json).map(Self::Other),
                }
            }
            fn write(&self, out: &mut alloc::string::String) {
                match self {
                    $( Self::$variant(value) => value.write(out), )*
                    Self::Other(value) => value.write(out),
                }
            }
            fn into_owned(self) -> Self::Owned {
                match self {
                    $( Self::$variant(value) => $name::$variant(value.into_owned()), )*
                    Self::Other(value) => $name::Other(value.into_owned()),
                }
            }
            fn find_unknown(&self, unknown: &mut $crate::model::Unknown) {
                match self {
                    $( Self::$variant(value) => value.find_unknown(unknown), )*
                    Self::Other(_) => unknown.report(),
                }
            }
        }

        serde_by_model!($name);
    )* };
}
