//! Strings with a syntax: checked where they are made, taken as they are where they are read.
use alloc::{borrow::Cow, format, string::String, vec::Vec};
use core::ops::Deref;

use base64ct::{Base64 as Alphabet, Encoding};

use super::codec::{Misfit, Model, Unknown};
use crate::{json::Json, jsonrpc::write, syntax};

macro_rules! texts {
    ($( $(#[$doc:meta])* $name:ident: $check:path, $problem:literal; )*) => { $(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name<'a>(Cow<'a, str>);

        impl<'a> $name<'a> {
            /// Checks the syntax.
            pub fn new(text: impl Into<Cow<'a, str>>) -> Result<Self, Misfit> {
                let text = text.into();
                if $check(&text) { Ok(Self(text)) } else { Err(Misfit::new($problem)) }
            }
            /// Whether the syntax is right: one that was read may be anything.
            pub fn is_valid(&self) -> bool {
                $check(&self.0)
            }
            /// As it is on the wire.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl Deref for $name<'_> {
            type Target = str;
            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl<'a> Model<'a> for $name<'a> {
            type Owned = $name<'static>;
            fn read(json: Json<'a>) -> Result<Self, Misfit> {
                Cow::read(json).map(Self)
            }
            fn write(&self, out: &mut String) {
                write::string(out, &self.0);
            }
            fn into_owned(self) -> Self::Owned {
                $name(Cow::Owned(self.0.into_owned()))
            }
            fn find_unknown(&self, _: &mut Unknown) {}
        }

        serde_by_model!($name);
    )* };
}

texts! {
    /// Bytes in base64: the standard alphabet, padded (`server/resources`).
    Base64: syntax::is_base64, "not base64 of the standard alphabet with padding";
    /// A media type such as `image/png` (`server/resources`).
    MediaType: syntax::is_media_type, "not a media type such as image/png";
    /// A size of an icon: `48x48`, or `any` for one that scales (`basic/index`, icons).
    IconSize: is_icon_size, "neither a width and height such as 48x48 nor any";
}

impl Base64<'_> {
    /// Encodes bytes.
    pub fn encode(bytes: &[u8]) -> Base64<'static> {
        Base64(Cow::Owned(Alphabet::encode_string(bytes)))
    }
    /// The bytes.
    pub fn decode(&self) -> Result<Vec<u8>, Misfit> {
        Alphabet::decode_vec(&self.0)
            .map_err(|_| Misfit::new("not base64 of the standard alphabet with padding"))
    }
}

impl IconSize<'_> {
    /// For an icon of any size.
    pub const ANY: IconSize<'static> = IconSize(Cow::Borrowed("any"));

    /// A size in pixels.
    pub fn pixels(width: u32, height: u32) -> IconSize<'static> {
        IconSize(Cow::Owned(format!("{width}x{height}")))
    }
}

/// `any`, or a width and a height in pixels.
fn is_icon_size(text: &str) -> bool {
    let pixels = |side: &str| !side.is_empty() && side.bytes().all(|byte| byte.is_ascii_digit());
    text == "any" || text.split_once('x').is_some_and(|(width, height)| pixels(width) && pixels(height))
}
