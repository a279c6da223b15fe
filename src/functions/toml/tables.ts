import { Slice, type Value, type ValueMap } from '../../go/value.ts';
import { tomlKey } from './key.ts';

const tableType = 'map[string]interface {}';

/**
 * Tables of a TOML document while it is parsed, with the rules for what may be added to them. Calls
 * `fail`, which throws, for invalid additions.
 */
export class TomlTables {
  readonly root: ValueMap = new Map();
  /** Key of the current table. */
  context: readonly string[] = [];
  readonly #implicit = new Set<string>();
  readonly #arrays = new Set<string>();
  readonly #fail: (problem: string) => never;

  constructor(fail: (problem: string) => never) {
    this.#fail = fail;
  }

  /** Opens a table, or appends a table to an array of tables. */
  open(key: readonly string[], isArray: boolean): void {
    const parents = key.slice(0, -1);
    const last = key.at(-1) ?? '';
    let table = this.root;
    parents.forEach((part, i) => {
      const path = parents.slice(0, i + 1);
      if (!table.has(part)) {
        this.#implicit.add(tomlKey(path));
        table.set(part, new Map());
      }
      table = tableIn(table.get(part)) ?? this.#fail(`Key '${tomlKey(path)}' was already created as a hash.`);
    });
    this.context = parents;
    if (isArray) {
      if (!table.has(last)) table.set(last, new Slice(tableType, []));
      const tables = table.get(last);
      if (!(tables instanceof Slice)) {
        this.#fail(`Key '${tomlKey(key)}' was already created and cannot be used as an array.`);
      }
      tables.push(new Map());
    } else {
      this.set(last, new Map());
    }
    this.context = key;
  }

  /** Opens a table implied by a dotted key. */
  openImplicit(key: readonly string[]): void {
    this.#implicit.add(tomlKey(key));
    this.open(key, false);
  }

  /** Opens the table of an inline table while it is parsed. */
  openInline(key: readonly string[], inArray: boolean): void {
    this.#implicit.add(tomlKey(key));
    this.open(key, inArray);
  }

  /**
   * Records the kind of a key's value in the current table: an array may replace an implied table.
   */
  setKind(key: string, isArray: boolean): void {
    const path = tomlKey([...this.context, key]);
    if (isArray) this.#arrays.add(path);
    else this.#arrays.delete(path);
  }

  /** Sets a key of the current table. Throws if it is already set. */
  set(key: string, value: Value): void {
    let table = this.root;
    this.context.forEach((part, i) => {
      table =
        tableIn(table.get(part)) ??
        this.#fail(`Key '${tomlKey(this.context.slice(0, i + 1))}' has already been defined.`);
    });
    const path = tomlKey([...this.context, key]);
    if (table.has(key)) {
      if (!this.#implicit.has(path)) this.#fail(`Key '${path}' has already been defined.`);
      this.#implicit.delete(path);
      if (!this.#arrays.has(path)) return;
    }
    table.set(key, value);
  }
}

/** Returns the value if it is a table, or the last table of an array of tables. */
function tableIn(value: Value | undefined): ValueMap | undefined {
  const table = value instanceof Slice ? value.at(-1) : value;
  // only the parser makes these maps, and it fills them
  return table instanceof Map ? (table as ValueMap) : undefined;
}
