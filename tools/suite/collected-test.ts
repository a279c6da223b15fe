// Replaces `test` of ava in files that share a process: collects the tests and hooks of the file
// that loads.
import type { ExecutionContext } from 'ava';

export type Body = (t: ExecutionContext, ...args: unknown[]) => unknown;
export type Modifier = 'skip' | 'failing' | 'only';

export interface CollectedTest {
  title: string;
  body: Body;
  modifier?: Modifier;
}

export interface CollectedFile {
  /** Path from the root of the project. */
  file: string;
  tests: CollectedTest[];
  hooks: Record<'before' | 'beforeEach' | 'afterEach' | 'after', Body[]>;
}

interface Macro {
  exec?: Body;
  title?: (given: string | undefined, ...args: unknown[]) => string;
}

/** Only one file loads at a time. */
class Collector {
  #current: CollectedFile | undefined;

  start(file: string): CollectedFile {
    this.#current = { file, tests: [], hooks: { before: [], beforeEach: [], afterEach: [], after: [] } };
    return this.#current;
  }

  end(): void {
    this.#current = undefined;
  }

  get current(): CollectedFile {
    if (this.#current) return this.#current;
    throw new Error('All tests and hooks must be declared while their file loads');
  }
}

export const collector = new Collector();

const declare =
  (modifier?: Modifier) =>
  (...given: unknown[]): void => {
    const raw = typeof given[0] === 'string' ? (given.shift() as string) : undefined;
    const [implementation, ...args] = given as [(Body & Macro) | Macro | undefined, ...unknown[]];
    const title = implementation?.title?.(raw, ...args) ?? raw;
    if (title === undefined) throw new TypeError('Tests must have a title');
    const exec = implementation?.exec ?? (implementation as Body | undefined);
    if (exec === undefined) throw new TypeError(`${title}: Expected an implementation`);
    const body: Body = (t) => exec(t, ...args);
    collector.current.tests.push({ title, body, ...(modifier && { modifier }) });
  };

const hook =
  (name: keyof CollectedFile['hooks']) =>
  (...given: unknown[]): void => {
    const [body, ...args] = (typeof given[0] === 'string' ? given.slice(1) : given) as [Body, ...unknown[]];
    collector.current.hooks[name].push((t) => body(t, ...args));
  };

const chain = () =>
  Object.assign(declare(), {
    skip: declare('skip'),
    failing: declare('failing'),
    only: declare('only'),
    before: hook('before'),
    beforeEach: hook('beforeEach'),
    // a hook without `always` would need to know whether the test has passed
    after: { always: hook('after') },
    afterEach: { always: hook('afterEach') },
    macro: (macro: Body | Macro): Macro => (typeof macro === 'function' ? { exec: macro } : macro),
  });

/** All tests of a shared process are serial. */
export default Object.assign(chain(), { serial: chain() });
