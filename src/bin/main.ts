import { readFile, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { buffer } from 'node:stream/consumers';
import { createProgram } from '../cli/program.ts';
import { processHost } from '../render/process-host.ts';
import { localRenderer } from './local-renderer.ts';
import { programName } from './program-name.ts';
import { writePrivateFile } from './private-file.ts';
import { terminalOf } from './terminal.ts';
import { version } from './version.ts';

const program = createProgram({
  version,
  programName: programName(process.env),
  env: process.env,
  hostName: hostname(),
  stdout: terminalOf(process.stdout),
  stderr: terminalOf(process.stderr),
  host: processHost(),
  readFile: (path) => (path.trim() === '-' ? buffer(process.stdin) : readFile(path)),
  async isFolder(path) {
    const stats = await stat(path).catch(() => undefined);
    return stats?.isDirectory() ?? false;
  },
  writePrivateFile,
  fetch,
  onInterrupt(listener) {
    process.on('SIGINT', listener);
    return () => process.off('SIGINT', listener);
  },
  createRenderer: localRenderer,
  // imported only when used, so that the other commands start faster
  runAgent: async (settings) => (await import('./run-agent.ts')).runAgent(settings),
  runControlPlane: async (settings) => (await import('./run-control-plane.ts')).runControlPlane(settings),
  runSandbox: async (settings, ready) => (await import('./run-sandbox.ts')).runSandbox(settings, ready),
});

process.exitCode = await program(process.argv.slice(2));
