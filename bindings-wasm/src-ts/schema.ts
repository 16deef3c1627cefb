/** Checks of values against JSON Schemas, for engines that do not check them. */
import { type OutputUnit, validate } from "@cfworker/json-schema";

import { type Prepared, prepare } from "./schema-graph.js";

export { SchemaError } from "./schema-graph.js";

/** One place where a value does not fit. */
export interface Violation {
  /** Where in the value: a JSON pointer, empty for all of it. */
  readonly path: string;
  readonly text: string;
}

/** Most violations that are reported. */
const VIOLATIONS = 8;
/** Most references that one check follows, and for each part of the value: more are alternatives within alternatives. */
const REFERENCES = 10_000;
const REFERENCES_A_PART = 16;
/** Most elements of an array that has to be without repetitions: each is compared with each. */
const COMPARED = 4096;
/** Most errors of the validator that are looked at. */
const ERRORS = 200;
/** Characters of the text of one violation. */
const TEXT = 240;

class TooMuch extends Error {}

/**
 * A JSON Schema of 2020-12, or of draft-07 if it says so, prepared once. Nothing is ever fetched; `format` is an
 * annotation. Its patterns are matched by the runtime's own engine: mind what they cost.
 */
export class SchemaCheck {
  readonly #prepared: Prepared;
  readonly #targets: Record<string, unknown>;
  /** References that may still be followed. */
  #left = 0;

  /** @throws {@link SchemaError} if the schema can't be used. */
  constructor(schema: unknown) {
    this.#prepared = prepare(schema);
    const { targets } = this.#prepared;
    this.#targets = new Proxy<Record<string, unknown>>(Object.create(null) as Record<string, unknown>, {
      get: (_, reference) => {
        this.#left -= 1;
        if (this.#left < 0) throw new TooMuch();
        return targets.get(String(reference));
      },
    });
  }

  /** Where a value does not fit; empty if all of it does. */
  violations(value: unknown): Violation[] {
    const all = { path: "", text: "is too large or nested too deep to be checked" };
    try {
      const { parts, longest } = measured(value);
      if (this.#prepared.comparesElements && longest > COMPARED) return [all];
      const references = REFERENCES + REFERENCES_A_PART * parts;
      const first = this.#validate(value, true, references);
      if (first.length === 0) return [];
      // Errors of a whole precede those of its parts, which say more.
      const errors = this.#explained(value, references) ?? first;
      const paths = new Set(errors.map(({ instanceLocation }) => instanceLocation));
      const leaves = errors.filter(({ instanceLocation: at }) => ![...paths].some((path) => path.startsWith(`${at}/`)));
      return leaves.slice(0, VIOLATIONS).map((leaf) => ({ path: pointerOf(leaf), text: textOf(leaf) }));
    } catch (error) {
      // The stack of the runtime is a bound too.
      if (error instanceof TooMuch || error instanceof RangeError) return [all];
      throw error;
    }
  }

  /** What does not fit, for whoever made the value, which is called `name`; `undefined` if all of it fits. */
  misfit(value: unknown, name: string): string | undefined {
    const violations = this.violations(value);
    return violations.length === 0 ? undefined : violations.map(({ path, text }) => `${name}${path}: ${text}`).join("; ");
  }

  /** As `misfit`, of the `structuredContent` of a tool's result: it is there and fits, unless the result says `isError`. */
  resultMisfit(result: { readonly structuredContent?: unknown; readonly isError?: boolean }): string | undefined {
    if (result.isError === true) return undefined;
    if (result.structuredContent === undefined) return "structuredContent: is missing";
    return this.misfit(result.structuredContent, "structuredContent");
  }

  #validate(value: unknown, untilFirst: boolean, references: number): OutputUnit[] {
    this.#left = references;
    const { schema, dialect } = this.#prepared;
    // References are keys of this table alone; what it holds is what the validator calls a schema.
    return validate(value, schema, dialect, this.#targets as Record<string, boolean>, untilFirst).errors;
  }

  /** All errors, as far as they are looked at; `undefined` if finding them is too much. */
  #explained(value: unknown, references: number): OutputUnit[] | undefined {
    try {
      return this.#validate(value, false, references).slice(0, ERRORS);
    } catch (error) {
      if (error instanceof TooMuch || error instanceof RangeError) return undefined;
      throw error;
    }
  }
}

/** How many values there are in a value, itself included, and how long its longest array is. */
function measured(value: unknown): { parts: number; longest: number } {
  if (typeof value !== "object" || value === null) return { parts: 1, longest: 0 };
  let [parts, longest] = [1, Array.isArray(value) ? value.length : 0];
  for (const part of Object.values(value)) {
    const inside = measured(part);
    parts += inside.parts;
    longest = Math.max(longest, inside.longest);
  }
  return { parts, longest };
}

function pointerOf({ instanceLocation }: OutputUnit): string {
  return decodeURIComponent(instanceLocation.slice(1));
}

function textOf({ keyword, error }: OutputUnit): string {
  const text = keyword === "false" ? "is not allowed" : error;
  return text.length > TEXT ? `${text.slice(0, TEXT)}…` : text;
}
