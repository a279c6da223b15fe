import { once } from 'node:events';
import test from 'ava';
import { temporaryFile } from '../control-plane/support/file.ts';
import { installed, rawAgent } from '../control-plane/support/raw-agent.ts';
import { startControlPlaneUnderAttack } from '../hostile/support/control-plane-under-attack.ts';
import { eventually } from '../support/eventually.ts';

test('a control plane that stops asks agents to connect again after --retry-after', async (t) => {
  const plane = await startControlPlaneUnderAttack(['--data', 'memory', '--retry-after', '90s']);
  t.teardown(() => plane.close());
  const agent = await rawAgent(`ws://127.0.0.1:${plane.port}`, {
    resume: { epoch: 'a', acknowledged: 0, connection: 1 },
  });
  const closed = once(agent.socket, 'close');
  process.kill(plane.program.pid, 'SIGTERM');
  t.is((await closed)[0], 1001);
  await plane.program.ended;
  t.like(JSON.parse((await agent.packet('drain')).payload ?? ''), { retryAfter: 90 });
});

const kept: [flags: string[], keys: string[]][] = [
  [[], ['a', 'b', 'c']],
  [
    ['--keep-commands', '2'],
    ['b', 'c'],
  ],
  [['--keep-for', '1ms'], ['c']],
];
for (const [flags, keys] of kept) {
  test(`a control plane with ${flags.join(' ') || 'no flags'} keeps ${keys.length} of three commands`, async (t) => {
    const plane = await startControlPlaneUnderAttack(['--data', await temporaryFile(t), ...flags]);
    t.teardown(() => plane.close());
    const agent = await rawAgent(`ws://127.0.0.1:${plane.port}`);
    t.teardown(() => agent.socket.terminate());
    const api = `http://127.0.0.1:${plane.port}/api`;
    for (const key of ['a', 'b', 'c']) {
      const command = { key, type: 'install_release', payload: { releaseName: 'web', chartName: 'web' } };
      const headers = { 'content-type': 'application/json' };
      const sent = { method: 'POST', headers, body: JSON.stringify(command) };
      t.is((await fetch(`${api}/agents/edge-1/commands`, sent)).status, 202);
      agent.send('result', installed, key);
      await eventually(`${key} has ended`, async () => {
        const { state } = (await (await fetch(`${api}/commands/${key}`)).json()) as { state: string };
        return state === 'done';
      });
    }
    const { commands } = (await (await fetch(`${api}/commands`)).json()) as { commands: { key: string }[] };
    t.deepEqual(commands.map(({ key }) => key).sort(), keys);
  });
}
