import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { openReleases } from '../../src/compose/open-releases.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { testProgram } from '../cli/support/program.ts';
import { eventually } from '../support/eventually.ts';
import { realHost } from '../support/host.ts';
import { program } from '../support/program.ts';
import { quickStart } from '../support/quick-start.ts';

const pod = {
  ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } },
  spec: { containers: [{ name: 'web', image: 'web' }] },
};

interface Revision {
  status: string;
  description: string;
}

const stops = test.macro({
  title: (_, signal: string) => `helm cancels what ${signal} stops, so that no revision stays pending`,
  async exec(t, signal: NodeJS.Signals) {
    const folder = await mkdtemp(join(tmpdir(), 'helm-'));
    const sandbox = await startSandbox({ host: realHost, speed: 1e-4 }); // no pod becomes ready
    t.teardown(async () => {
      await sandbox.close();
      await rm(folder, { recursive: true });
    });
    const chart = join(folder, 'web');
    await mkdir(join(chart, 'templates'), { recursive: true });
    await writeFile(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: web\nversion: 0.1.0\n');
    await writeFile(join(chart, 'templates', 'pod.yaml'), JSON.stringify(pod));
    const env = { HOME: folder, KUBECONFIG: join(folder, 'kubeconfig') };
    await writeFile(env.KUBECONFIG, sandbox.kubeconfig);

    const history = async () => {
      const { run, stdout } = testProgram({ env, openReleases: (...cluster) => openReleases(env, ...cluster) });
      const code = await run('helm', 'history', 'one', '-o', 'json');
      return code === 0 ? (JSON.parse(stdout.text) as Revision[]) : [];
    };
    const stopped = async (revision: number, ...args: string[]) => {
      const child = spawn(process.execPath, [program, 'helm', ...args, '--wait'], {
        env: { ...quickStart(), ...env },
      });
      t.teardown(() => child.kill('SIGKILL'));
      const output = Promise.all([text(child.stdout), text(child.stderr)]);
      const exited = once(child, 'exit');
      await eventually(`revision ${revision} is stored`, async () => (await history())[revision - 1] !== undefined);
      child.kill(signal);
      const [stdout, stderr] = await output;
      const { status } = (await history())[revision - 1] ?? {};
      return { exit: await exited, stdout, stderr, status };
    };
    const cancelled = { exit: [1, null], stdout: 'Release one has been cancelled.\n', status: 'failed' };
    t.like(await stopped(1, 'install', 'one', chart), cancelled);
    t.like(await stopped(2, 'upgrade', 'one', chart), cancelled);
    t.like(await stopped(3, 'rollback', 'one', '1'), { ...cancelled, stdout: '' });
  },
});

test(stops, 'SIGINT');
test(stops, 'SIGTERM');
