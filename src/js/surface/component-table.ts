/**
 * `ComponentTable`: the components of a surface by id, and the instances that render each of them. A provisional component is one
 * of a message that has not arrived completely: it is shown, and taken back when the message ends or breaks off.
 */
import { getOrInsert } from "../core/kinds.js";
import { deepFreeze } from "../core/tree.js";
import { type CatalogOf, type Definition, definitionOf } from "./components.js";
import type { ComponentInstance, Entry } from "./instance.js";
import { Dependency } from "./readers.js";
import type { SurfaceComponent } from "./types.js";

export class ComponentTable {
  readonly #entries = new Map<string, Entry>();
  /** The number of components. */
  size = 0;
  /** The cached answer of {@link all}. */
  #all: Record<string, SurfaceComponent> | undefined;
  /** By id, what provisional components have replaced: another component, or nothing. */
  readonly #originals = new Map<string, SurfaceComponent | undefined>();

  /** `onChange` gets the users of a component that was added, replaced or removed. */
  constructor(
    private readonly catalogOf: CatalogOf,
    private readonly onChange: (users: Dependency<ComponentInstance>) => void,
  ) {}

  /** The component with an id; `undefined` while it has not arrived. */
  get(id: string): SurfaceComponent | undefined {
    return this.#entries.get(id)?.component;
  }

  /** The components by id, as they were sent: the same object until one changes. */
  get all(): Readonly<Record<string, SurfaceComponent>> {
    if (this.#all) return this.#all;
    const all: Record<string, SurfaceComponent> = Object.fromEntries(
      [...this.#entries].flatMap(([id, { component }]) => (component ? [[id, component]] : [])),
    );
    deepFreeze(all);
    this.#all = all;
    return all;
  }

  /** The ids that other components refer to and that have not arrived. */
  get missing(): string[] {
    return [...this.#entries].filter(([, { component }]) => component === undefined).map(([id]) => id);
  }

  /** The entry of an id; a new one without a component if none exists. */
  entry(id: string): Entry {
    return getOrInsert(this.#entries, id, () => ({
      component: undefined,
      definition: undefined,
      users: new Dependency(),
    }));
  }

  /** The definition of an entry, computed on first use; `undefined` while the component has not arrived. */
  definition(entry: Entry): Definition | undefined {
    if (entry.component) entry.definition ??= definitionOf(entry.component, this.catalogOf(entry.component));
    return entry.definition;
  }

  /** Adds or replaces a component. */
  define(component: SurfaceComponent): Entry {
    return this.#put(component.id, component);
  }

  /** Adds or replaces a component until {@link dropProvisional}. */
  defineProvisional(component: SurfaceComponent): void {
    const { id } = component;
    if (!this.#originals.has(id)) this.#originals.set(id, this.get(id));
    this.#put(id, component);
  }

  /** Takes all provisional components back, and restores what they have replaced. */
  dropProvisional(): void {
    for (const [id, component] of this.#originals) this.#put(id, component);
    this.#originals.clear();
  }

  /** Removes an entry without a component and without users. */
  dropUnused(id: string, { component, users }: Entry): void {
    if (component === undefined && users.isEmpty) this.#entries.delete(id);
  }

  /** Sets or (`undefined`) removes the component of an id. */
  #put(id: string, component: SurfaceComponent | undefined): Entry {
    const entry = this.entry(id);
    this.size += Number(component !== undefined) - Number(entry.component !== undefined);
    this.#all = undefined;
    entry.component = component;
    entry.definition = undefined;
    this.onChange(entry.users);
    this.dropUnused(id, entry);
    return entry;
  }
}
