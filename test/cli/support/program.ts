import { createThreadedRenderer, type ThreadedRenderer } from '../../../src/render/worker/threaded-renderer.ts';
import { fixedHost } from '../../support/host.ts';
import { createProgram } from '../../../src/cli/program.ts';
import type { ProgramDependencies, Terminal } from '../../../src/cli/dependencies.ts';
import type { ControlPlaneSettings } from '../../../src/cli/control-plane/settings.ts';
import type { SandboxSettings } from '../../../src/cli/sandbox/settings.ts';
import type { RunSettings } from '../../../src/cli/run/settings.ts';

interface RecordingTerminal extends Terminal {
  text: string;
}

function terminal(isTerminal: boolean): RecordingTerminal {
  return {
    text: '',
    isTerminal,
    columns: 60,
    write(text) {
      this.text += text;
    },
  };
}

const workerUrl = new URL('../../../src/bin/render-worker.ts', import.meta.url);
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
  } = {},
) {
  const runs: RunSettings[] = [];
  const planes: ControlPlaneSettings[] = [];
  const sandboxes: SandboxSettings[] = [];
  const files = { ...given.files };
  const interrupts = new Set<() => void>();
  const stdout = terminal(false);
  const stderr = terminal(given.isTerminal ?? false);
  const dependencies: ProgramDependencies = {
    version: '1.2.3',
    programName: 'helm-agent',
    env: given.env ?? {},
    hostName: 'host-1',
    stdout,
    stderr,
    host: fixedHost,
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
    writePrivateFile(path, text) {
      files[path] = text;
      return Promise.resolve();
    },
    isFolder: (path) => Promise.resolve(given.folders?.includes(path) ?? false),
    fetch: given.fetch ?? ((url, init) => fetch(url, init)),
    onInterrupt(listener) {
      interrupts.add(listener);
      return () => interrupts.delete(listener);
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
    runControlPlane(settings) {
      planes.push(settings);
      return Promise.resolve();
    },
  };
  const program = createProgram(dependencies);
  return {
    run: (...args: string[]) => program(args),
    interrupt: () => {
      for (const listener of interrupts) listener();
    },
    interrupts,
    runs,
    planes,
    sandboxes,
    files,
    stdout,
    stderr,
  };
}
