import { readFile } from 'node:fs/promises';
import type { Terminal } from '../../cli/dependencies.ts';
import { createProgram } from '../../cli/program.ts';
import { processHost } from '../../render/process-host.ts';
import { version } from '../version.ts';

/** Runs `helm-agent ctl` with arguments, and returns its exit code. */
export type Ctl = (args: readonly string[]) => Promise<number>;

/** Returns a function that runs `helm-agent ctl` in this process, and prints what it runs. */
export function createCtl(terminal: Terminal, server: string, onInterrupt: () => void): Ctl {
  const refuse = () => Promise.reject(new Error('the demo runs only ctl'));
  const program = createProgram({
    version,
    programName: 'npm run -s helm-agent --',
    env: {},
    hostName: 'demo',
    stdout: terminal,
    stderr: terminal,
    host: processHost(),
    readFile,
    isFolder: refuse,
    writePrivateFile: refuse,
    createRenderer: async (options) => (await import('../local-renderer.ts')).localRenderer(options),
    resolveHost: refuse,
    openReleases: refuse,
    listNamespaces: refuse,
    fetch,
    onInterrupt(listener) {
      const onSignal = () => {
        onInterrupt();
        listener();
      };
      process.on('SIGINT', onSignal);
      return () => process.off('SIGINT', onSignal);
    },
    runAgent: refuse,
    runControlPlane: refuse,
    runSandbox: refuse,
  });
  return (args) => {
    terminal.write(`$ helm-agent ctl ${args.join(' ')} --agent demo\n`);
    return program(['ctl', ...args, '--agent', 'demo', '--server', server]);
  };
}
