/** Checks of a tool's arguments, for engines that do not check them. */
import { type SchemaDraft, Validator } from "@cfworker/json-schema";

import type { JsonObject } from "./options.js";

/** The dialect that a schema names, or the newest. */
function draftOf(schema: JsonObject): SchemaDraft {
  const named = typeof schema["$schema"] === "string" ? schema["$schema"] : "";
  if (named.includes("draft-04")) return "4";
  if (named.includes("draft-07")) return "7";
  return named.includes("2019-09") ? "2019-09" : "2020-12";
}

/** A JSON Schema, prepared when it is first needed. */
export class SchemaCheck {
  readonly #schema: JsonObject;
  #validator: Validator | undefined;

  /** `schema`: any dialect from draft 4 to 2020-12. */
  constructor(schema: JsonObject) {
    this.#schema = schema;
  }

  /** What does not fit in `value`, for whoever made it; `undefined` if all of it fits. */
  misfit(value: unknown): string | undefined {
    this.#validator ??= new Validator(this.#schema, draftOf(this.#schema), false);
    const { valid, errors } = this.#validator.validate(value);
    if (valid) return undefined;
    // Errors of a whole precede those of its parts, which say more.
    const paths = new Set(errors.map((error) => error.instanceLocation));
    const leaves = errors.filter(({ instanceLocation: at }) => ![...paths].some((path) => path.startsWith(`${at}/`)));
    return leaves.map(({ instanceLocation, error }) => `${instanceLocation.replace(/^#/, "arguments")}: ${error}`).join("\n");
  }
}
