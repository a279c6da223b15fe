import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { testProgram } from '../../support/program.ts';

/** Output of one command, with the folder of the test replaced by `HOME`. */
interface HelmOutput {
  code: number;
  stdout: string;
  stderr: string;
}

/** Returns a folder for Helm's files, and a function that runs commands of helm with it. */
export async function helmHome(t: ExecutionContext) {
  const home = await mkdtemp(join(tmpdir(), 'helm-agent-home-'));
  t.teardown(() => rm(home, { recursive: true }));
  const env = { HOME: home, HELM_CONFIG_HOME: join(home, 'config'), HELM_CACHE_HOME: join(home, 'cache') };
  async function helm(...args: string[]): Promise<HelmOutput> {
    const program = testProgram({ env });
    const code = await program.run('helm', ...args);
    const shown = (text: string) => text.replaceAll(home, 'HOME');
    return { code, stdout: shown(program.stdout.text), stderr: shown(program.stderr.text) };
  }
  return { home, helm };
}
