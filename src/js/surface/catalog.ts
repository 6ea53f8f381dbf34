/** `Catalog`: the component types that a page supports, with their properties, as JSON Schema. */
import { isObject, isText, isTexts, type Members, typeName } from "../core/kinds.js";
import { equal } from "../diff/equal.js";
import type { Json } from "../types.js";
import { PROTOCOLS, propertyName } from "./protocols.js";
import type { SurfaceComponent, SurfaceIssue, SurfaceProtocol } from "./types.js";

/** A JSON Schema: `true` allows every value, `false` none. */
type Schema = Members | boolean;
type SchemaObject = Exclude<Schema, boolean>;

/** How many levels deep schemas may be nested, references included. What is deeper is not checked. */
const DEEPEST = 64;
/** For one component: how many pairs of a value and a schema are checked. What remains counts as valid. */
const MAX_STEPS = 100_000;
/** After this many issues of a component the check ends. */
const MAX_ISSUES = 8;

/** A2UI's definitions of ids of children. The `$ref` of a property that holds children ends with one of these names. */
const CHILDREN = new Set(["ComponentId", "ChildList"]);

/** The keys by which the schema of a type restricts what may hold it, and what it may hold. */
const ALLOWED_PARENTS = "allowedParents";
const ALLOWED_CHILDREN = "allowedChildren";

/** A component at its place in the tree. */
export interface PlacedComponent {
  readonly id: string;
  readonly type: string;
  readonly catalog: Catalog | undefined;
}

/** Names as the error texts of A2UI write them. */
const quoteNames = (names: readonly string[]): string => `[${names.map((name) => `'${name}'`).join(", ")}]`;

export class Catalog {
  /** The schemas of the components, by type. */
  readonly #types = new Map<string, SchemaObject>();
  /** Steps left in the current check: references may branch at every level. */
  #stepsLeft = 0;
  /** The cached answers of {@link children}, by type. */
  readonly #children = new Map<string, Set<string> | undefined>();
  /** In A2UI v0.9 and 1.0, the component that is checked: {@link COMMON_FIELDS} are allowed in it, not in the values inside. */
  #component: Members | undefined;

  /** The descriptions of the functions, by name; `undefined` if the catalog has none. */
  readonly functions: ReadonlyMap<string, Members> | undefined;
  /** `undefined` if the catalog has none. */
  readonly id: string | undefined;
  /** The version of A2UI that the catalog is for. */
  readonly version: string | undefined;
  /** Whether any component is restricted in what may hold it, or in what it may hold. */
  readonly #isRestricted: boolean;

  constructor(private readonly root: SchemaObject) {
    for (const [type, schema] of Object.entries(schemasOf(root))) if (isObject(schema)) this.#types.set(type, schema);
    const { catalogId, $id, protocolVersion } = root;
    this.id = [catalogId, $id].find(isText);
    this.version = isText(protocolVersion) ? protocolVersion : undefined;
    this.functions = functionsOf(root);
    this.#isRestricted = [...this.#types.values()].some(
      (schema) => ALLOWED_PARENTS in schema || ALLOWED_CHILDREN in schema,
    );
  }

  /** Whether an id names this catalog. */
  has(id: string): boolean {
    return id === this.root.catalogId || id === this.root.$id;
  }

  /**
   * The types that may hold a type (`key`: `allowedParents`), or that it may hold (`allowedChildren`); `undefined` if all may.
   */
  allowed(type: string, key: string): string[] | undefined {
    const list = this.#isRestricted ? this.#types.get(type)?.[key] : undefined;
    return Array.isArray(list) ? list.filter(isText) : undefined;
  }

  /**
   * The properties that the catalog marks as children; `undefined` if it marks none. Nested ones, as in `tabs`, are handled in
   * components.ts.
   */
  children(type: string): Set<string> | undefined {
    if (!this.#children.has(type)) {
      const properties = this.#parts(this.#types.get(type)).flatMap((schema) =>
        Object.entries(objectAt(schema, "properties")),
      );
      const holders = properties.filter(([, property]) => isObject(property) && CHILDREN.has(refName(property) ?? ""));
      this.#children.set(type, holders.length > 0 ? new Set(holders.map(([name]) => name)) : undefined);
    }
    return this.#children.get(type);
  }

  /** Validates a component. Returns the first issues. */
  check({ type, props, weight, protocol, id }: SurfaceComponent): SurfaceIssue[] {
    const schema = this.#types.get(type);
    if (schema === undefined) {
      const types = [...this.#types.keys()].slice(0, 12).join(", ");
      return [
        { code: "UNKNOWN_TYPE", message: `The catalog has no component "${type}". Use one of ${types}.`, path: "" },
      ];
    }
    const issues: SurfaceIssue[] = [];
    this.#stepsLeft = MAX_STEPS;
    // In A2UI v0.9 and 1.0 a schema describes the component's own fields and its properties together.
    const value = PROTOCOLS[protocol].isFlat
      ? { id, component: type, ...(weight !== undefined && { weight }), ...describedProps(props, protocol) }
      : { ...props };
    this.#component = PROTOCOLS[protocol].isFlat ? value : undefined;
    const rootPath = "";
    this.#check(value, schema, rootPath, issues);
    this.#component = undefined;
    return issues;
  }

  /** A schema with all schemas that it is composed of (`allOf`, `anyOf`, `oneOf`), references included. */
  #parts(schema: Schema | undefined): SchemaObject[] {
    // The loop also visits the schemas that it adds, each once.
    const parts = new Set<SchemaObject>();
    const add = (part: Schema | undefined): void => void (isObject(part) && parts.add(part));
    add(schema);
    for (const part of parts) {
      add(this.#follow(part));
      for (const key of ["allOf", "anyOf", "oneOf"]) listAt(part, key).forEach(add);
    }
    return [...parts];
  }

  /** The schema that a `$ref` means; `undefined` without a reference, or for one that leads out of the catalog. */
  #follow(schema: SchemaObject): Schema | undefined {
    const ref = schema.$ref;
    if (!isText(ref)) return undefined;
    const [file, path = ""] = ref.split("#");
    // `catalog.json` is A2UI's name for the catalog in use, whichever it is.
    if (file !== "" && file !== this.root.$id && file !== "catalog.json") return undefined;
    let node: unknown = this.root;
    for (const key of path.split("/").slice(1)) {
      if (!isObject(node) || !Object.hasOwn(node, key)) return undefined;
      node = node[key];
    }
    return isSchema(node) ? node : undefined;
  }

  /**
   * Checks a value by a schema, and adds what is wrong to `issues`. `path` is the JSON Pointer of the value in the component.
   * Keywords of JSON Schema that catalogs do not use are ignored, and so is whatever is beyond the limits above.
   */
  #check(value: Json, schema: Schema, path: string, issues: SurfaceIssue[], depth = 0): void {
    /** `what`: the rest of the sentence, such as "is missing". */
    const addIssue = (what: string, at = path): void => {
      issues.push({ code: "INVALID_COMPONENT", message: `${at === "" ? "The component" : at} ${what}.`, path: at });
    };
    this.#stepsLeft -= 1;
    if (!isObject(schema) || issues.length >= MAX_ISSUES || depth > DEEPEST || this.#stepsLeft < 0) {
      if (schema === false) addIssue("is not allowed");
      return;
    }
    const check = (inner: Json, part: unknown, at = path, issuesOfPart = issues): void => {
      if (isSchema(part)) this.#check(inner, part, at, issuesOfPart, depth + 1);
    };
    const { type, const: constant, enum: choices, items, minItems, maxItems, required } = schema;
    const kinds = [typeName(value), Number.isInteger(value) ? "integer" : ""];
    const isIn = (allowed: readonly Json[]): boolean => allowed.some((choice) => equal(value, choice));
    const target = this.#follow(schema);
    // A reference that leads out of the catalog may be to a definition of A2UI.
    if (target !== undefined) check(value, target);
    else if (!fitsDefinition(value, refName(schema) ?? "")) addIssue(`must be a ${refName(schema)}`);
    const types = [type].flat();
    if (type !== undefined && !kinds.some((kind) => types.includes(kind))) {
      addIssue(`must be ${types.join(" or ")}`);
      return;
    }
    if (constant !== undefined && !isIn([constant])) addIssue(`must be ${JSON.stringify(constant)}`);
    if (Array.isArray(choices) && !isIn(choices)) {
      const list = choices.map((choice) => JSON.stringify(choice)).join(", ");
      addIssue(`must be one of ${list.slice(0, 200)}`);
    }
    for (const part of listAt(schema, "allOf")) check(value, part);
    const fits = (option: Schema): boolean => {
      const issuesOfOption: SurfaceIssue[] = [];
      check(value, option, path, issuesOfOption);
      return issuesOfOption.length === 0;
    };
    for (const options of [listAt(schema, "anyOf"), listAt(schema, "oneOf")]) {
      if (options.length > 0 && !options.some(fits)) addIssue("is none of what is allowed");
    }
    if (Array.isArray(value)) {
      if (typeof minItems === "number" && value.length < minItems) addIssue(`must have ${minItems} items or more`);
      if (typeof maxItems === "number" && value.length > maxItems) addIssue(`must have ${maxItems} items at most`);
      if (items !== undefined) for (const [at, item] of value.entries()) check(item, items, `${path}/${at}`);
    } else if (isObject<Json>(value)) {
      const properties = objectAt(schema, "properties");
      for (const name of Array.isArray(required) ? required : []) {
        if (isText(name) && !Object.hasOwn(value, name)) addIssue("is missing", `${path}/${name}`);
      }
      for (const [name, inner] of Object.entries(value)) {
        const at = `${path}/${name}`;
        const { additionalProperties, unevaluatedProperties } = schema;
        if (Object.hasOwn(properties, name)) check(inner, properties[name], at);
        else if (value === this.#component && COMMON_FIELDS.includes(name)) continue;
        else if (
          additionalProperties === false ||
          (unevaluatedProperties === false && !this.#isEvaluated(schema, name))
        ) {
          addIssue("is not known", at);
        }
      }
    }
  }

  /**
   * Whether a part of the schema describes a property. An unresolved reference counts as one that describes any property, unless
   * it is in {@link COMMON_DEFINITIONS}.
   */
  #isEvaluated(schema: SchemaObject, name: string): boolean {
    return this.#parts(schema).some((part) => {
      const unresolvedName = this.#follow(part) === undefined ? refName(part) : undefined;
      if (unresolvedName !== undefined)
        return !Object.hasOwn(COMMON_DEFINITIONS, unresolvedName) || COMMON_DEFINITIONS[unresolvedName]?.includes(name);
      return Object.hasOwn(objectAt(part, "properties"), name);
    });
  }
}

/** The issue if the catalog of one of the two components does not allow the child in the parent; else `undefined`. */
export function nestingIssue(child: PlacedComponent, parent: PlacedComponent): SurfaceIssue | undefined {
  const parents = child.catalog?.allowed(child.type, ALLOWED_PARENTS);
  if (parents && !parents.includes(parent.type)) {
    const message = `Component '${child.id}' (${child.type}) cannot be placed under parent '${parent.id}' (${parent.type}). Allowed parents: ${quoteNames(parents)}.`;
    return { code: "UNALLOWED_PARENT", message, path: "" };
  }
  const children = parent.catalog?.allowed(parent.type, ALLOWED_CHILDREN);
  if (children === undefined || children.includes(child.type)) return undefined;
  const message = `Container '${parent.id}' (${parent.type}) cannot contain child '${child.id}' (${child.type}). Allowed children: ${quoteNames(children)}.`;
  return { code: "UNALLOWED_CHILD", message, path: "" };
}

/**
 * The definitions of A2UI that catalogs refer to, by name: whether a value fits. Dynamic values may also be bindings or calls.
 */
const DEFINITIONS: Record<string, (value: Json) => boolean> = {
  ComponentId: isText,
  ChildList: (value) => typeof value === "object" && value !== null,
  DynamicString: isText,
  DynamicNumber: (value) => typeof value === "number",
  DynamicBoolean: (value) => typeof value === "boolean",
  DynamicStringList: isTexts,
};

/** Properties that every component of A2UI v0.9 and 1.0 may have, also if its schema does not list them. */
const COMMON_FIELDS = ["id", "component", "weight", "accessibility"];

/** The properties in A2UI's common definitions, by name. Catalogs refer to these definitions without containing them. */
const COMMON_DEFINITIONS: Record<string, string[]> = {
  ComponentCommon: ["id", "accessibility"],
  Checkable: ["checks"],
};

/** The keys of a dynamic value that is not a literal. */
const REFERENCES = ["path", "call", "@path", "@call"];

/** The properties that a schema describes: in A2UI 1.0 without the `@` of their names, and without catalog and metadata. */
function describedProps(props: Members, protocol: SurfaceProtocol): Members {
  if (!PROTOCOLS[protocol].hasDirectives) return props;
  const {
    catalogId: _,
    metadata: __,
    ...others
  } = Object.fromEntries(Object.entries(props).map(([name, value]) => [propertyName(name, protocol), value]));
  return others;
}

/** Whether a value fits the A2UI definition with this name; any value fits an unknown name. */
function fitsDefinition(value: Json, name: string): boolean {
  const isDynamic = name.startsWith("Dynamic") && isObject(value) && REFERENCES.some((key) => key in value);
  return isDynamic || !Object.hasOwn(DEFINITIONS, name) || DEFINITIONS[name]?.(value) === true;
}

/** The functions of a catalog: an object by name, or a list in which each has its name. */
function functionsOf({ functions }: SchemaObject): ReadonlyMap<string, Members> | undefined {
  if (Array.isArray(functions)) {
    return new Map(functions.flatMap((one) => (isObject<Json>(one) && isText(one.name) ? [[one.name, one]] : [])));
  }
  if (!isObject<Json>(functions)) return undefined;
  return new Map(Object.entries(functions).flatMap(([name, one]) => (isObject<Json>(one) ? [[name, one]] : [])));
}

/**
 * The schemas of the types, by name: in A2UI, `components`. A GULF catalog is the schema of a message, of its body, of the list
 * of components or of one component; any other object is a schema with the types as properties.
 */
function schemasOf(catalog: SchemaObject): SchemaObject {
  if (isObject<Json>(catalog.components)) return catalog.components;
  // Paths to the schema of the list, and from there to the schema of one component.
  for (const toList of ["properties.componentUpdate.properties.components.", "properties.components.", ""]) {
    for (const toComponent of ["items.properties", "properties"]) {
      let node: Json | undefined = catalog;
      for (const name of `${toList}${toComponent}.componentProperties.properties`.split(".")) {
        node = isObject<Json>(node) ? node[name] : undefined;
      }
      if (isObject<Json>(node)) return node;
    }
  }
  return objectAt(catalog, "properties");
}

/** The last part of a `$ref`, which is the name of a definition. */
function refName({ $ref: ref }: SchemaObject): string | undefined {
  return isText(ref) ? ref.slice(ref.lastIndexOf("/") + 1) : undefined;
}

/** The value of a keyword, if it is an object; else an empty one. */
const objectAt = (schema: SchemaObject, key: string): SchemaObject => (isObject(schema[key]) ? schema[key] : {});

/** The schemas in the list of a keyword. */
function listAt(schema: SchemaObject, key: string): Schema[] {
  const list = schema[key];
  return Array.isArray(list) ? list.filter(isSchema) : [];
}

const isSchema = (value: unknown): value is Schema => isObject(value) || typeof value === "boolean";
