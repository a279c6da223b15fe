import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childModule } from '../../support/program.ts';
import { quickStart } from '../../support/quick-start.ts';
import { newWorld, sandboxTest, type World } from '../world.ts';
import { charts, requestOf, type Scenario, type ScenarioName, scenarios, start } from './scenarios.ts';
import { snapshot } from './snapshot.ts';

const test = sandboxTest();
const program = childModule('resumed-process');

/** Returns the signal that has ended the process, or its exit code. */
async function runProcess(args: readonly string[]): Promise<unknown> {
  const env = { ...process.env, ...quickStart() };
  const child = spawn(process.execPath, [program, ...args], { stdio: 'ignore', env });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  return signal ?? code;
}

const continues = test.macro({
  async exec(t, name: ScenarioName, kills: readonly number[]) {
    const folder = await mkdtemp(join(tmpdir(), 'resumption-'));
    const scenario: Scenario = scenarios[name];
    try {
      const [whole, killed] = [newWorld(t, ...charts), newWorld(t, ...charts)];
      for (const world of [whole, killed]) {
        for (const part of scenario.before) await start(world.context(), requestOf(part, world.namespace));
      }
      await start(whole.context(), requestOf(scenario.interrupted, whole.namespace)).catch(() => undefined);
      const [kubeconfig, state] = [join(folder, 'kubeconfig'), join(folder, 'state.json')];
      await writeFile(kubeconfig, t.context.kubeconfig);
      await writeFile(state, '');
      const args = [kubeconfig, killed.namespace, name, state];
      for (const count of kills) t.is(await runProcess([...args, String(count)]), 'SIGKILL');
      t.is(await runProcess(args), 0);
      const left = (world: World) => snapshot(world.cluster, world.context().storage, world.namespace);
      t.deepEqual(await left(killed), await left(whole));
    } finally {
      await rm(folder, { recursive: true });
    }
  },
  title: (_, name: ScenarioName) => `${name}: another process continues after SIGKILL`,
});

test.serial(continues, 'install', [9]);
test.serial(continues, 'upgrade', [8]);
test.serial(continues, 'rollback', [6]);
test.serial(continues, 'uninstall', [4]);
test.serial(continues, 'failing atomic upgrade', [8, 10]);
