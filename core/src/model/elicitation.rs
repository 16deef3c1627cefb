//! Elicitation: a server asks the user (`client/elicitation`).
use alloc::{borrow::Cow, vec::Vec};

use super::{
    Map, MetaObject, Notification, Number, Raw, Request, RequestMetaObject, ResultMetaObject, ResultType,
    TaskMetadata,
};
use crate::json::Json;

words! {
    /// What the user did.
    ElicitAction {
        /// Agreed, with `content` if a form was asked for.
        Accept = "accept",
        /// Said no.
        Decline = "decline",
        /// Did neither: closed it.
        Cancel = "cancel",
    }

    /// The form of a string.
    StringFormat {
        /// A mail address.
        Email = "email",
        /// A URI.
        Uri = "uri",
        /// A day.
        Date = "date",
        /// A moment.
        DateTime = "date-time",
    }

    /// Which numbers.
    NumberKind {
        /// Any.
        Number = "number",
        /// Whole ones.
        Integer = "integer",
    }
}

objects! {
    /// A field for a string.
    StringSchema("type" = "string") {} optional {
        /// Its name for people.
        "title" => title: Cow<'a, str>,
        /// What it is.
        "description" => description: Cow<'a, str>,
        /// Characters at least.
        "minLength" => min_length: Number<'a>,
        /// Characters at most.
        "maxLength" => max_length: Number<'a>,
        /// What it must look like.
        "format" => format: StringFormat<'a>,
        /// What it is filled with at first; from 2025-11-25.
        "default" => default: Cow<'a, str>,
    }

    /// A field for a number.
    NumberSchema {
        /// Which numbers.
        "type" => kind: NumberKind<'a>,
    } optional {
        /// Its name for people.
        "title" => title: Cow<'a, str>,
        /// What it is.
        "description" => description: Cow<'a, str>,
        /// The smallest one.
        "minimum" => minimum: Number<'a>,
        /// The greatest one.
        "maximum" => maximum: Number<'a>,
        /// What it is filled with at first; from 2025-11-25.
        "default" => default: Number<'a>,
    }

    /// A field for yes or no.
    BooleanSchema("type" = "boolean") {} optional {
        /// Its name for people.
        "title" => title: Cow<'a, str>,
        /// What it is.
        "description" => description: Cow<'a, str>,
        /// What it is filled with at first.
        "default" => default: bool,
    }

    /// A field for one of some values.
    UntitledSingleSelectEnumSchema("type" = "string") {
        /// The values.
        "enum" => values: Vec<Cow<'a, str>>,
    } optional {
        /// Its name for people.
        "title" => title: Cow<'a, str>,
        /// What it is.
        "description" => description: Cow<'a, str>,
        /// What it is filled with at first.
        "default" => default: Cow<'a, str>,
    }

    /// A field for one of some values, with their names beside them: the `EnumSchema` of 2025-06-18.
    LegacyTitledEnumSchema("type" = "string") {
        /// The values.
        "enum" => values: Vec<Cow<'a, str>>,
    } optional {
        /// Their names for people, in the same order.
        "enumNames" => names: Vec<Cow<'a, str>>,
        /// Its name for people.
        "title" => title: Cow<'a, str>,
        /// What it is.
        "description" => description: Cow<'a, str>,
        /// What it is filled with at first.
        "default" => default: Cow<'a, str>,
    }

    /// A value and its name.
    EnumOption {
        /// The value.
        "const" => value: Cow<'a, str>,
        /// Its name for people.
        "title" => title: Cow<'a, str>,
    } optional {}

    /// A field for one of some values with names; from 2025-11-25.
    TitledSingleSelectEnumSchema("type" = "string") {
        /// The values.
        "oneOf" => options: Vec<EnumOption<'a>>,
    } optional {
        /// Its name for people.
        "title" => title: Cow<'a, str>,
        /// What it is.
        "description" => description: Cow<'a, str>,
        /// What it is filled with at first.
        "default" => default: Cow<'a, str>,
    }

    /// The values of a field.
    UntitledItems("type" = "string") {
        /// They themselves.
        "enum" => values: Vec<Cow<'a, str>>,
    } optional {}

    /// A field for several of some values; from 2025-11-25.
    UntitledMultiSelectEnumSchema("type" = "array") {
        /// The values.
        "items" => items: UntitledItems<'a>,
    } optional {
        /// Its name for people.
        "title" => title: Cow<'a, str>,
        /// What it is.
        "description" => description: Cow<'a, str>,
        /// How many at least.
        "minItems" => min_items: Number<'a>,
        /// How many at most.
        "maxItems" => max_items: Number<'a>,
        /// What it is filled with at first.
        "default" => default: Vec<Cow<'a, str>>,
    }

    /// The values of a field, with their names.
    TitledItems {
        /// They themselves.
        "anyOf" => options: Vec<EnumOption<'a>>,
    } optional {}

    /// A field for several of some values with names; from 2025-11-25.
    TitledMultiSelectEnumSchema("type" = "array") {
        /// The values.
        "items" => items: TitledItems<'a>,
    } optional {
        /// Its name for people.
        "title" => title: Cow<'a, str>,
        /// What it is.
        "description" => description: Cow<'a, str>,
        /// How many at least.
        "minItems" => min_items: Number<'a>,
        /// How many at most.
        "maxItems" => max_items: Number<'a>,
        /// What it is filled with at first.
        "default" => default: Vec<Cow<'a, str>>,
    }

    /// A form: one level of fields.
    RequestedSchema("type" = "object") {
        /// The fields.
        "properties" => properties: Map<'a, PrimitiveSchemaDefinition<'a>>,
    } optional {
        /// Those that must be filled.
        "required" => required: Vec<Cow<'a, str>>,
        /// The dialect of JSON Schema; from 2025-11-25.
        "$schema" => schema: Cow<'a, str>,
    }

    /// The user is to fill in a form.
    ElicitRequestFormParams {
        /// What is asked, and why.
        "message" => message: Cow<'a, str>,
        /// The form.
        "requestedSchema" => requested_schema: RequestedSchema<'a>,
    } optional {
        /// `form`, or absent; from 2025-11-25.
        "mode" => mode: ElicitMode<'a>,
        /// That it is to be a task; 2025-11-25 alone.
        "task" => task: TaskMetadata<'a>,
        /// Metadata.
        "_meta" => meta: RequestMetaObject<'a>,
    }

    /// The user is to visit a page; from 2025-11-25.
    ElicitRequestURLParams("mode" = "url") {
        /// What for.
        "message" => message: Cow<'a, str>,
        /// The page.
        "url" => url: Cow<'a, str>,
    } optional {
        /// What its end is told by; in 2025-11-25 alone, and required there.
        "elicitationId" => elicitation_id: Cow<'a, str>,
        /// That it is to be a task; 2025-11-25 alone.
        "task" => task: TaskMetadata<'a>,
        /// Metadata.
        "_meta" => meta: RequestMetaObject<'a>,
    }

    /// What the user did.
    ElicitResult {
        /// What.
        "action" => action: ElicitAction<'a>,
    } optional {
        /// The form, filled: strings, numbers, booleans, and from 2025-11-25 arrays of strings.
        "content" => content: Map<'a, Raw<'a>>,
        /// What kind of result it is, where it is a result of its own.
        "resultType" => result_type: ResultType<'a>,
        /// Metadata.
        "_meta" => meta: ResultMetaObject<'a>,
    }

    /// What happened on the page has come to its end; 2025-11-25 alone.
    ElicitationCompleteNotificationParams {
        /// That of the request.
        "elicitationId" => elicitation_id: Cow<'a, str>,
    } optional {
        /// Metadata.
        "_meta" => meta: MetaObject<'a>,
    }
}

words! {
    /// How the user is asked; from 2025-11-25.
    ElicitMode {
        /// By a form; the meaning of an absent member.
        Form = "form",
        /// By a page.
        Url = "url",
    }
}

unions! {
    /// A field of a form.
    PrimitiveSchemaDefinition by field_kind => {
        /// For a string.
        "string" => String(StringSchema<'a>),
        /// For a number.
        "number" => Number(NumberSchema<'a>),
        /// For yes or no.
        "boolean" => Boolean(BooleanSchema<'a>),
        /// For one of some values.
        "enum" => SingleSelect(UntitledSingleSelectEnumSchema<'a>),
        /// For one of some values with names.
        "oneOf" => TitledSingleSelect(TitledSingleSelectEnumSchema<'a>),
        /// For one of some values with names, in the older form.
        "enumNames" => LegacyTitled(LegacyTitledEnumSchema<'a>),
        /// For several of some values.
        "items.enum" => MultiSelect(UntitledMultiSelectEnumSchema<'a>),
        /// For several of some values with names.
        "items.anyOf" => TitledMultiSelect(TitledMultiSelectEnumSchema<'a>),
    }

    /// How the user is asked.
    ElicitRequestParams by mode => {
        /// By a form.
        "form" => Form(ElicitRequestFormParams<'a>),
        /// By a page.
        "url" => Url(ElicitRequestURLParams<'a>),
    }
}

/// A field for one or more of some values.
pub type EnumSchema<'a> = PrimitiveSchemaDefinition<'a>;
/// A field for one of some values.
pub type SingleSelectEnumSchema<'a> = PrimitiveSchemaDefinition<'a>;
/// A field for several of some values.
pub type MultiSelectEnumSchema<'a> = PrimitiveSchemaDefinition<'a>;
/// `elicitation/create`.
pub type ElicitRequest<'a> = Request<'a, ElicitRequestParams<'a>>;
/// `notifications/elicitation/complete`.
pub type ElicitationCompleteNotification<'a> = Notification<'a, ElicitationCompleteNotificationParams<'a>>;

/// The kinds of fields differ by their members.
fn field_kind(json: Json<'_>) -> Option<Cow<'_, str>> {
    let has = |key| json.member(key).is_some();
    let kind = match &*json.member("type")?.as_str()? {
        "string" if has("enumNames") => "enumNames",
        "string" if has("enum") => "enum",
        "string" if has("oneOf") => "oneOf",
        "string" => "string",
        "number" | "integer" => "number",
        "boolean" => "boolean",
        "array" if json.member("items")?.member("enum").is_some() => "items.enum",
        "array" => "items.anyOf",
        _ => return None,
    };
    Some(kind.into())
}

fn mode(json: Json<'_>) -> Option<Cow<'_, str>> {
    json.member("mode").map_or(Some("form".into()), Json::as_str)
}
