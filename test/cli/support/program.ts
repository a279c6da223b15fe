import type { ControlPlaneSettings } from '../../../src/cli/control-plane/settings.ts';
import type { ProgramDependencies, SessionTerminal, Terminal } from '../../../src/cli/dependencies.ts';
import type { GuardSettings } from '../../../src/cli/guard/settings.ts';
import { createProgram } from '../../../src/cli/program.ts';
import type { RunSettings } from '../../../src/cli/run/settings-schema.ts';
import type { SandboxSettings } from '../../../src/cli/sandbox/settings.ts';
import type { VerbEntry } from '../../../src/cli/verb/index.ts';
import type { CommandTable } from '../../../src/protocol/commands/table.ts';
import { createThreadedRenderer, type ThreadedRenderer } from '../../../src/render/worker/threaded-renderer.ts';
import { fixedHost } from '../../support/host.ts';
import { threadModule } from '../../support/program.ts';

interface RecordingTerminal extends Terminal {
  text: string;
  isEnded: boolean;
  /** Closes the reader's end. */
  close(): void;
}

/** Returns a terminal that keeps what is written. */
export function recordingTerminal(isTerminal: boolean): RecordingTerminal {
  const closed = new AbortController();
  return {
    text: '',
    isEnded: false,
    isTerminal,
    columns: 60,
    rows: 24,
    closed: closed.signal,
    write(text) {
      this.text += text;
    },
    writeBytes(bytes) {
      this.text += Buffer.from(bytes).toString();
      return Promise.resolve();
    },
    end() {
      this.isEnded = true;
    },
    erase(lines) {
      if (lines > 0) this.text += `\u001b[${lines}A\u001b[J`;
    },
    close: () => closed.abort(),
  };
}

const workerUrl = threadModule('render-worker');
const renderers = new Map<string, ThreadedRenderer>();

/**
 * Returns the same renderer for the same options, because starting a thread takes longer than most
 * tests. An idle thread does not keep the process alive.
 */
const sharedRenderer: ProgramDependencies['createRenderer'] = (options) => {
  const key = JSON.stringify(options);
  const renderer = renderers.get(key) ?? createThreadedRenderer({ workerUrl, ...options });
  renderers.set(key, renderer);
  return Promise.resolve({ ...renderer, close: () => Promise.resolve() });
};

/** Has an empty input, and drops its output. */
const closedTerminal: SessionTerminal = {
  isTerminal: false,
  size: () => ({ columns: 80, rows: 24 }),
  onResize: () => () => undefined,
  startRaw: () => () => undefined,
  async *input() {
    // it is empty
  },
  write: () => Promise.resolve(),
  close: () => undefined,
};

/** Returns the program with fakes for everything outside. */
export function testProgram(
  given: {
    env?: Record<string, string>;
    files?: Record<string, string>;
    folders?: string[];
    isTerminal?: boolean;
    openReleases?: ProgramDependencies['openReleases'];
    listNamespaces?: ProgramDependencies['listNamespaces'];
    fetch?: ProgramDependencies['fetch'];
    randomBytes?: ProgramDependencies['host']['randomBytes'];
    table?: CommandTable;
    sessionTerminal?: SessionTerminal;
    verbs?: readonly VerbEntry[];
  } = {},
) {
  const runs: RunSettings[] = [];
  const planes: ControlPlaneSettings[] = [];
  const sandboxes: SandboxSettings[] = [];
  const guardians: GuardSettings[] = [];
  const files = { ...given.files };
  const interrupts = new Set<() => void>();
  const stops = new Set<() => void>();
  const stdout = recordingTerminal(false);
  const stderr = recordingTerminal(given.isTerminal ?? false);
  const dependencies: ProgramDependencies = {
    ...(given.table && { table: given.table }),
    version: '1.2.3',
    programName: 'helm-agent',
    env: given.env ?? {},
    hostName: 'host-1',
    stdout,
    stderr,
    host: { ...fixedHost, ...(given.randomBytes && { randomBytes: given.randomBytes }) },
    createRenderer: sharedRenderer,
    resolveHost: (name) => Promise.resolve(name === 'db.example' ? ['192.0.2.7'] : []),
    openReleases: given.openReleases ?? (() => Promise.reject(new Error('this test has no cluster'))),
    listNamespaces: given.listNamespaces ?? (() => Promise.reject(new Error('this test has no cluster'))),
    readFile(path) {
      const text = files[path];
      return text === undefined
        ? Promise.reject(Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' }))
        : Promise.resolve(new TextEncoder().encode(text));
    },
    async updatePrivateFile(path, change) {
      files[path] = await Promise.resolve(change(files[path]));
    },
    openSessionTerminal: () => Promise.resolve(given.sessionTerminal ?? closedTerminal),
    isFolder: (path) => Promise.resolve(given.folders?.includes(path) ?? false),
    fetch: given.fetch ?? ((url, init) => fetch(url, init)),
    onInterrupt(listener) {
      interrupts.add(listener);
      return () => interrupts.delete(listener);
    },
    onStop(listener) {
      stops.add(listener);
      return () => stops.delete(listener);
    },
    runAgent(settings) {
      runs.push(settings);
      return Promise.resolve();
    },
    runSandbox(settings, ready) {
      sandboxes.push(settings);
      ready('https://127.0.0.1:7443', `/srv/${settings.kubeconfig}`);
      return Promise.resolve();
    },
    runGuardian(settings) {
      guardians.push(settings);
      return Promise.resolve();
    },
    runControlPlane(settings) {
      planes.push(settings);
      return Promise.resolve();
    },
  };
  const program = createProgram(dependencies, given.verbs);
  return {
    run: (...args: string[]) => program(args),
    interrupt: () => {
      for (const listener of interrupts) listener();
    },
    interrupts,
    stops,
    runs,
    planes,
    sandboxes,
    guardians,
    files,
    stdout,
    stderr,
  };
}
