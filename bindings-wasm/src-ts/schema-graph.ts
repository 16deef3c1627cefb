/** Reads a JSON Schema before it is used: what is wrong with it, what it refers to, and how much a check can cost. */

type Keywords = Record<string, unknown>;
type Schema = Keywords | boolean;

export type Dialect = "2020-12" | "7";

/** A schema that can't be used. */
export class SchemaError extends Error {
  override readonly name = "SchemaError";
  /** Where in the schema: a JSON pointer, empty for all of it. */
  readonly path: string;

  /** `reason` says what is wrong there and what to do. */
  constructor(path: string, reason: string) {
    super(`${path}: ${reason}`);
    this.path = path;
  }
}

/** Most UTF-8 bytes of one schema. These are the bounds of the engine's own validator. */
const BYTES = 256 * 1024;
/** Most subschemas in one schema. */
const SUBSCHEMAS = 4096;
/** Most levels of nesting in the text of a schema. */
const NESTING = 64;
/** Most subschemas that one place in a value can be held against, each way to it counted. */
const VISITS = 1024;
/** Most subschemas in a row that are held against one place in a value. */
const IN_A_ROW = 128;

/** A schema that is ready to be checked with. */
export interface Prepared {
  readonly schema: Schema;
  readonly dialect: Dialect;
  /** The target of each `$ref`. */
  readonly targets: ReadonlyMap<string, Schema>;
  /** Some array has to be without repetitions. */
  readonly comparesElements: boolean;
}

const isObject = (value: unknown): value is Keywords =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isSchema = (value: unknown): value is Schema => isObject(value) || typeof value === "boolean";
const isText = (value: unknown): boolean => typeof value === "string";
const isNumber = (value: unknown): boolean => typeof value === "number";
const isBoolean = (value: unknown): boolean => typeof value === "boolean";
const isSize = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;
const isNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;

const TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"];
const isType = (value: unknown): boolean => typeof value === "string" && TYPES.includes(value);

/** What the meta-schemas of both dialects ask of keywords that hold no schemas. */
const SHAPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  $anchor: isText,
  $comment: isText,
  $dynamicAnchor: isText,
  $dynamicRef: isText,
  $id: isText,
  $ref: isText,
  contentEncoding: isText,
  contentMediaType: isText,
  dependentRequired: (value) => isObject(value) && Object.values(value).every(isNames),
  description: isText,
  enum: Array.isArray,
  exclusiveMaximum: isNumber,
  exclusiveMinimum: isNumber,
  format: isText,
  maxContains: isSize,
  maximum: isNumber,
  maxItems: isSize,
  maxLength: isSize,
  maxProperties: isSize,
  minContains: isSize,
  minimum: isNumber,
  minItems: isSize,
  minLength: isSize,
  minProperties: isSize,
  multipleOf: (value) => typeof value === "number" && value > 0,
  pattern: isText,
  readOnly: isBoolean,
  required: isNames,
  title: isText,
  type: (value) => isType(value) || (isNames(value) && (value as unknown[]).length > 0 && (value as unknown[]).every(isType)),
  uniqueItems: isBoolean,
  writeOnly: isBoolean,
};

/** Keywords whose value is one schema. */
const ONE = ["additionalItems", "additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"];
/** Keywords whose value is a list of schemas. */
const LIST = ["allOf", "anyOf", "oneOf", "prefixItems"];
/** Keywords whose members are schemas. */
const MAP = ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];
/** Those of them that are held against the same value. */
const SAME = new Set(["allOf", "anyOf", "dependencies", "dependentSchemas", "else", "if", "not", "oneOf", "then"]);
/** What a dialect does not know means nothing in it. */
const UNKNOWN: Readonly<Record<Dialect, readonly string[]>> = {
  "2020-12": ["additionalItems"],
  "7": ["$anchor", "$dynamicAnchor", "$dynamicRef", "dependentRequired", "dependentSchemas", "maxContains", "minContains", "prefixItems", "unevaluatedItems", "unevaluatedProperties"],
};
/** The base of a schema without an `$id`. */
const NO_BASE = "json-schema:///";

const escaped = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");

interface Node {
  readonly path: string;
  readonly schema: Schema;
  readonly base: string;
  readonly same: string[];
  refers: [keyword: "$ref" | "$dynamicRef", target: string][];
}

/**
 * Reads a schema, and copies it without what is no concern of a validator: names, dialects, formats.
 *
 * @throws {@link SchemaError} if it can't be used.
 */
export function prepare(schema: unknown): Prepared {
  const text = JSON.stringify(schema) as string | undefined;
  if (text === undefined) throw new SchemaError("", "must be an object or a boolean");
  if (new TextEncoder().encode(text).length > BYTES) throw new SchemaError("", `is longer than ${String(BYTES)} bytes`);
  const copy: unknown = JSON.parse(text);
  if (!isSchema(copy)) throw new SchemaError("", "must be an object or a boolean");
  return new Graph(copy).prepared;
}

function dialectOf(schema: Schema): Dialect {
  const named = isObject(schema) && "$schema" in schema ? schema["$schema"] : "https://json-schema.org/draft/2020-12/schema";
  const [, name] = /^https?:\/\/json-schema\.org\/(draft\/2020-12|draft-07)\/schema#?$/.exec(String(named)) ?? [];
  if (name === "draft-07") return "7";
  if (name === "draft/2020-12") return "2020-12";
  throw new SchemaError(
    "/$schema",
    "this dialect is not supported: 2020-12 (`https://json-schema.org/draft/2020-12/schema`) and " +
      "draft-07 (`http://json-schema.org/draft-07/schema#`) are",
  );
}

class Graph {
  readonly #root: Schema;
  readonly #dialect: Dialect;
  readonly #nodes = new Map<string, Node>();
  /** Absolute URIs of the document and of the schemas in it that have an `$id`, and where these are. */
  readonly #bases = new Map<string, string>();
  /** By base and name. */
  readonly #anchors = new Map<string, string>();
  readonly #dynamic = new Map<string, string[]>();
  #comparesElements = false;

  constructor(root: Schema) {
    this.#root = root;
    this.#dialect = dialectOf(root);
    if (isObject(root)) delete root["$schema"];
    this.#bases.set(NO_BASE, "");
    this.#visit(root, "", NO_BASE, 0);
    // Targets that no keyword led to are entered on the way, at the end.
    for (const node of this.#nodes.values()) this.#follow(node);
    this.#measure();
  }

  get prepared(): Prepared {
    const targets = new Map([...this.#nodes].map(([path, { schema }]) => [path, schema]));
    return { schema: this.#root, dialect: this.#dialect, targets, comparesElements: this.#comparesElements };
  }

  #visit(schema: Schema, path: string, base: string, nesting: number): void {
    if (this.#nodes.has(path)) return;
    if (nesting > NESTING) throw new SchemaError(path, `is nested in more than ${String(NESTING)} levels`);
    if (this.#nodes.size >= SUBSCHEMAS) throw new SchemaError(path, `is one of more than ${String(SUBSCHEMAS)} subschemas`);
    if (!isObject(schema)) {
      this.#nodes.set(path, { path, schema, base, same: [], refers: [] });
      return;
    }
    if ("$schema" in schema) throw new SchemaError(`${path}/$schema`, "a dialect is declared at the top of a schema alone");
    for (const keyword of UNKNOWN[this.#dialect]) Reflect.deleteProperty(schema, keyword);
    for (const [keyword, value] of Object.entries(schema)) {
      if (Object.hasOwn(SHAPES, keyword) && SHAPES[keyword]?.(value) === false) {
        throw new SchemaError(`${path}/${keyword}`, "is not what the dialect allows here");
      }
    }
    // There a reference hides everything beside it, which is read all the same.
    const hidden = this.#dialect === "7" && "$ref" in schema;
    const node: Node = { path, schema, base: hidden ? base : this.#name(schema, path, base), same: [], refers: [] };
    this.#nodes.set(path, node);
    for (const keyword of ["$ref", "$dynamicRef"] as const) {
      if (keyword in schema) node.refers.push([keyword, String(schema[keyword])]);
    }
    if (typeof schema["pattern"] === "string") schema["pattern"] = newer(schema["pattern"], `${path}/pattern`);
    if (schema["uniqueItems"] === true) this.#comparesElements = true;
    // An annotation. What has been read is in the way of the validator.
    for (const keyword of ["format", "$id", "$anchor", "$dynamicAnchor"]) Reflect.deleteProperty(schema, keyword);
    const enter = (keyword: string, at: string, entry: unknown): void => {
      if (!isSchema(entry)) throw new SchemaError(at, "must be a schema: an object or a boolean");
      this.#visit(entry, at, node.base, nesting + 1);
      if (SAME.has(keyword) && !hidden) node.same.push(at);
    };
    for (const keyword of Object.keys(schema)) {
      const value = schema[keyword];
      const at = `${path}/${keyword}`;
      if (LIST.includes(keyword) || (keyword === "items" && this.#dialect === "7" && Array.isArray(value))) {
        if (!Array.isArray(value) || value.length === 0) throw new SchemaError(at, "must be a list of schemas, not empty");
        for (const [place, entry] of value.entries()) enter(keyword, `${at}/${String(place)}`, entry);
      } else if (MAP.includes(keyword)) {
        if (!isObject(value)) throw new SchemaError(at, "must be an object whose members are schemas");
        if (keyword === "patternProperties") schema[keyword] = relinked(value, at);
        for (const [name, entry] of Object.entries(value)) {
          // The other kind of dependency is a list of names.
          if (keyword !== "dependencies" || !isNames(entry)) enter(keyword, `${at}/${escaped(name)}`, entry);
        }
      } else if (ONE.includes(keyword)) {
        enter(keyword, at, value);
      }
    }
  }

  /** Enters the names of a schema; gives the base of what is in it. */
  #name(schema: Keywords, path: string, base: string): string {
    const id = schema["$id"];
    let own = base;
    if (typeof id === "string" && this.#dialect === "7" && id.startsWith("#")) {
      this.#anchors.set(`${base}${id}`, path);
    } else if (typeof id === "string") {
      own = absolute(id, base, `${path}/$id`)[0];
      if (path === "") this.#bases.clear();
      else if (this.#bases.has(own)) throw new SchemaError(`${path}/$id`, `\`${id}\` is there twice`);
      this.#bases.set(own, path);
    }
    for (const keyword of ["$anchor", "$dynamicAnchor"]) {
      if (keyword in schema) this.#anchors.set(`${own}#${String(schema[keyword])}`, path);
    }
    if ("$dynamicAnchor" in schema) {
      const name = String(schema["$dynamicAnchor"]);
      this.#dynamic.set(name, [...(this.#dynamic.get(name) ?? []), path]);
    }
    return own;
  }

  /** Replaces the references of a schema by the places that they lead to. */
  #follow(node: Node): void {
    if (!isObject(node.schema)) return;
    const refers = node.refers;
    for (const [keyword, reference] of refers) {
      const at = `${node.path}/${keyword}`;
      const target = this.#resolve(reference, node.base, at);
      if (keyword === "$dynamicRef") {
        const [, name = ""] = reference.split("#");
        if ((this.#dynamic.get(name)?.length ?? 0) > 1) {
          throw new SchemaError(at, "has several places to lead to, which is not supported here: use `$ref`");
        }
        Reflect.deleteProperty(node.schema, keyword);
        const others = (node.schema["allOf"] ?? []) as Schema[];
        node.schema["allOf"] = [...others, { $ref: target }];
      } else {
        node.schema["$ref"] = target;
      }
      node.same.push(target);
    }
  }

  #resolve(reference: string, base: string, at: string): string {
    const [document, fragment] = absolute(reference, base, at);
    const root = this.#bases.get(document);
    if (root === undefined) {
      throw new SchemaError(
        at,
        `\`${reference}\` is not in this schema, and nothing is fetched: put what it names under \`$defs\``,
      );
    }
    const nowhere = new SchemaError(at, `\`${reference}\` leads nowhere`);
    if (fragment !== "" && !fragment.startsWith("/")) {
      const found = this.#anchors.get(`${document}#${fragment}`);
      if (found === undefined) throw nowhere;
      return found;
    }
    const path = root + fragment;
    if (this.#nodes.has(path)) return path;
    let found: unknown = this.#root;
    for (const part of path.split("/").slice(1)) {
      const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
      const inside = typeof found === "object" && found !== null && Object.hasOwn(found, name);
      if (!inside) throw nowhere;
      found = (found as Keywords)[name];
    }
    if (!isSchema(found)) throw nowhere;
    this.#visit(found, path, document, path.split("/").length - 1);
    return path;
  }

  /** Fails where schemas lead back to themselves without going into the value, or where too many are held against it. */
  #measure(): void {
    const costs = new Map<string, { visits: number; levels: number }>();
    const entered = new Set<string>();
    for (const start of this.#nodes.keys()) {
      const way = [start];
      for (let path = way.at(-1); path !== undefined; path = way.at(-1)) {
        const node = this.#nodes.get(path);
        if (node === undefined || costs.has(path)) {
          way.pop();
          continue;
        }
        if (!entered.has(path)) {
          entered.add(path);
          for (const next of node.same) {
            if (entered.has(next) && !costs.has(next)) throw new SchemaError(path, "leads back to itself without an end");
            way.push(next);
          }
          continue;
        }
        let [visits, levels] = [1, 1];
        for (const next of node.same) {
          const cost = costs.get(next);
          visits += cost?.visits ?? 0;
          levels = Math.max(levels, (cost?.levels ?? 0) + 1);
        }
        if (visits > VISITS || levels > IN_A_ROW) {
          const reason = `holds more than ${String(VISITS)} subschemas against one value, or ${String(IN_A_ROW)} in a row`;
          throw new SchemaError(path, reason);
        }
        costs.set(path, { visits, levels });
        way.pop();
      }
    }
  }
}

/** A reference made absolute, and its fragment. */
function absolute(reference: string, base: string, at: string): [document: string, fragment: string] {
  try {
    const url = new URL(reference, base);
    const fragment = decodeURIComponent(url.hash.slice(1));
    url.hash = "";
    return [url.href, fragment];
  } catch {
    throw new SchemaError(at, `\`${reference}\` is no URI reference`);
  }
}

function relinked(patterns: Keywords, at: string): Keywords {
  return Object.fromEntries(Object.entries(patterns).map(([pattern, schema]) => [newer(pattern, at), schema]));
}

/** Escapes that mean the symbol itself, and that only the newer syntax of patterns forbids. */
const NEEDLESS = /[\s!"#%&',:;<=>@_`~]/;

/** A pattern in the newer syntax, which the validator uses. */
function newer(pattern: string, at: string): string {
  let written = "";
  let inClass = false;
  for (let place = 0; place < pattern.length; place += 1) {
    const symbol = pattern.charAt(place);
    if (symbol === "\\") {
      place += 1;
      const next = pattern.charAt(place);
      if (next === "k" && !inClass) throw new SchemaError(at, "has a back-reference by name: use its number");
      written += NEEDLESS.test(next) || (next === "-" && !inClass) ? next : symbol + next;
      continue;
    }
    inClass = symbol === "[" || (inClass && symbol !== "]");
    written += symbol;
  }
  try {
    new RegExp(written, "u");
  } catch {
    throw new SchemaError(at, "is no ECMA-262 pattern");
  }
  return written;
}
