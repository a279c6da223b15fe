import test from 'ava';
import type { SentCommand } from '../../src/control-plane/index.ts';
import { crashWorld, kill } from '../bin/support/crash-world.ts';
import { agentId, answerOf } from '../bin/support/world.ts';

const chart = { releaseName: 'web', chartName: 'web' };

/** Resolves when the nth process that runs a command waits for its resources. */
async function waitsIn(command: SentCommand, n: number): Promise<void> {
  let processes = 0;
  for await (const { type, payload } of command) {
    if (type === 'accepted') processes += 1;
    if (type === 'status' && processes === n && payload.step === 'wait') return;
  }
}

test('a command whose process is killed at each start ends after the third, and the next one succeeds', async (t) => {
  t.timeout(300_000, 'processes start slowly on a busy machine');
  const world = await crashWorld();
  const { plane } = world;
  const namespace = 'poison';
  try {
    let child = await world.start();
    await answerOf(plane.install(agentId, { ...chart, namespace }));
    const readiness = [{ kind: 'ConfigMap', readyWhen: 'condition=Never' }];
    const command = plane.upgrade(agentId, { ...chart, namespace, readiness });
    for (let starts = 1; starts <= 3; starts++) {
      await waitsIn(command, starts);
      await kill(world, child);
      t.not(command.state, 'done');
      child = await world.start();
    }
    const result = await command.result;
    t.like(result, { ok: false, error: { code: 'continued_too_often' } });
    const left = await answerOf(plane.status(agentId, { releaseName: 'web', namespace }));
    t.like(left.release, { version: 2, info: { status: 'failed' } });
    const { release } = await answerOf(plane.upgrade(agentId, { ...chart, namespace, values: 'greeting: hello\n' }));
    t.like(release, { version: 3, info: { status: 'deployed' } });
  } finally {
    await world.killAll();
    await world.close();
  }
});
