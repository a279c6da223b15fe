import { stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { createProgram } from '../cli/program.ts';
import { helmDependencies } from '../compose/helm-dependencies.ts';
import { interruptsOf } from '../compose/interrupts.ts';
import { updatePrivateFile } from '../compose/private-file.ts';

const interrupts = interruptsOf(process);
const program = createProgram({
  ...helmDependencies(),
  programName: programName(process.env),
  hostName: hostname(),
  async isFolder(path) {
    const stats = await stat(path).catch(() => undefined);
    return stats?.isDirectory() ?? false;
  },
  updatePrivateFile,
  onInterrupt: interrupts.onInterrupt,
  openSessionTerminal: async () => (await import('../compose/session-terminal.ts')).sessionTerminal(),
  // imported only when used, so that the other commands start faster
  runAgent: async (settings) => (await import('./run-agent.ts')).runAgent(settings),
  runGuardian: async (settings) => (await import('./run-guardian.ts')).runGuardian(settings),
  runControlPlane: async (settings) => (await import('./run-control-plane.ts')).runControlPlane(settings),
  runSandbox: async (settings, ready) => (await import('./run-sandbox.ts')).runSandbox(settings, ready),
});

process.exitCode = interrupts.exitCode(await program(process.argv.slice(2)));

/**
 * Returns the words that start this program in a shell. In a clone that is an npm script, which npm
 * names in the environment.
 */
function programName(env: Readonly<Record<string, string | undefined>>): string {
  switch (env['npm_lifecycle_event']) {
    case 'helm-agent':
      return 'npm run -s helm-agent --';
    case 'npx':
      return 'npx helm-agent';
    default:
      return 'helm-agent';
  }
}
