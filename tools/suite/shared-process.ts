// Runs several test files in one process, one test after the other. Each file has its own hooks,
// and fails if it leaves the process changed.
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import type { ExecutionContext } from 'ava';
import realTest from 'ava';
import { type Body, type CollectedFile, type CollectedTest, collector } from './collected-test.ts';
import { reportFile } from './file-times.ts';
import { titlePrefix } from './title-prefix.ts';

/** Loads the files and declares their tests. */
export async function runTogether(files: readonly string[]): Promise<void> {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'ava' && !/\/(?:tools\/suite|node_modules)\//.test(context.parentURL ?? '')
        ? { url: new URL('collected-test.ts', import.meta.url).href, shortCircuit: true }
        : next(specifier, context),
  });
  const loaded: SharedFile[] = [];
  for (const file of files) loaded.push(new SharedFile(await load(file)));
  for (const file of loaded) file.declare();
}

async function load(file: string): Promise<CollectedFile> {
  const collected = collector.start(file);
  const stateBefore = processState();
  try {
    await import(pathToFileURL(file).href);
    if (collected.tests.length === 0) throw new Error(`No tests found in ${file}`);
    assertUnchanged(file, stateBefore);
  } catch (error) {
    const body = () => {
      throw error;
    };
    collected.tests = [{ title: 'the file loads', body }];
  } finally {
    collector.end();
  }
  return collected;
}

class SharedFile {
  readonly #file: CollectedFile;
  readonly #teardowns: (() => unknown)[] = [];
  #testsLeft: number;
  #start = 0;
  #stateBefore = processState();
  #beforeHooks: Promise<void> | undefined;
  #context: unknown = {};

  constructor(file: CollectedFile) {
    this.#file = file;
    this.#testsLeft = file.tests.filter(({ modifier }) => modifier !== 'skip').length;
  }

  declare(): void {
    for (const test of this.#file.tests) {
      const declare = test.modifier === undefined ? realTest.serial : realTest.serial[test.modifier];
      declare(`${titlePrefix(this.#file.file)} › ${test.title}`, (t) => this.#run(t, test));
    }
  }

  async #run(t: ExecutionContext, { body }: CollectedTest): Promise<void> {
    const { hooks } = this.#file;
    t.teardown(() => this.#afterTest(t)); // the first teardown runs last
    this.#beforeHooks ??= this.#startFile(t);
    await this.#beforeHooks;
    t.context = { ...(this.#context as object) };
    try {
      await runAll(hooks.beforeEach, t);
      await body(t);
    } finally {
      await runAll(hooks.afterEach, t);
    }
  }

  async #startFile(t: ExecutionContext): Promise<void> {
    this.#start = performance.now();
    this.#stateBefore = processState();
    // the teardowns of these hooks run after the last test of the file
    const teardown = (undo: () => unknown) => this.#teardowns.unshift(undo);
    const ofFile = new Proxy(t, {
      get: (target, name): unknown => (name === 'teardown' ? teardown : Reflect.get(target, name)),
      set: (target, name, value) => Reflect.set(target, name, value),
    });
    await runAll(this.#file.hooks.before, ofFile);
    this.#context = t.context;
  }

  async #afterTest(t: ExecutionContext): Promise<void> {
    if (--this.#testsLeft > 0) return;
    const { hooks, file } = this.#file;
    await runAll(hooks.after, t);
    for (const undo of this.#teardowns) await undo();
    reportFile(file, performance.now() - this.#start);
    assertUnchanged(file, this.#stateBefore);
  }
}

async function runAll(hooks: readonly Body[], t: ExecutionContext): Promise<void> {
  for (const hook of hooks) await hook(t);
}

function assertUnchanged(file: string, before: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(processState())) {
    if (isDeepStrictEqual(value, before[name])) continue;
    throw new Error(`${file} has changed ${name}: name the file in tools/suite/plan.ts, so that it runs alone`);
  }
}

/** Returns the state of the process that tests could change. */
function processState(): Record<string, unknown> {
  const signals = ['uncaughtException', 'unhandledRejection', 'SIGINT', 'SIGTERM', 'SIGHUP'];
  return {
    'the working directory': process.cwd(),
    'process.env': { ...process.env },
    'the listeners of the process': signals.map((name) => process.listenerCount(name)),
    'a global function': [fetch, Date, Date.now, setTimeout, setInterval, setImmediate, console.log, console.error],
  };
}
