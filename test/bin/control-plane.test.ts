import { once } from 'node:events';
import test from 'ava';
import { rawAgent } from '../control-plane/support/raw-agent.ts';
import { startControlPlaneUnderAttack } from '../hostile/support/control-plane-under-attack.ts';

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
