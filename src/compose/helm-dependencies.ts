import { readFile } from 'node:fs/promises';
import type { HelmDependencies } from '../cli/helm/context.ts';
import { processHost } from '../render/process-host.ts';
import { terminalOf } from './terminal.ts';
import { version } from './version.ts';

const stopSignals = ['SIGINT', 'SIGTERM'] as const;

/** Returns what helm's commands take from outside: from this process, its files and its network. */
export function helmDependencies(): HelmDependencies {
  const { env } = process;
  return {
    version,
    env,
    stdout: terminalOf(process.stdout),
    stderr: terminalOf(process.stderr),
    host: processHost(),
    readFile: async (path) =>
      path.trim() === '-' ? (await import('node:stream/consumers')).buffer(process.stdin) : readFile(path),
    fetch,
    onStop(listener) {
      for (const name of stopSignals) process.on(name, listener);
      return () => {
        for (const name of stopSignals) process.off(name, listener);
      };
    },
    // imported only when used, so that the other commands start faster
    createRenderer: async (options) => (await import('./local-renderer.ts')).localRenderer(options),
    resolveHost: async (name) => (await import('../render/resolve-host.ts')).resolveHost(name),
    openReleases: async (...cluster) => (await import('./open-releases.ts')).openReleases(env, ...cluster),
    listNamespaces: async (...cluster) => (await import('./list-namespaces.ts')).listNamespaces(env, ...cluster),
  };
}
