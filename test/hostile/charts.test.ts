import test from 'ava';
import { agentId, startAgentUnderAttack } from './support/agent-under-attack.ts';

const starting = startAgentUnderAttack();
test.after.always(async () => (await starting).close());

test.serial('values with 2,000 documents', async (t) => {
  const agent = await starting;
  const values = Array.from({ length: 2_000 }, (_, index) => `k${index}: v\n---\n`).join('');
  await agent.withstands(
    t,
    'values with 2,000 keys and documents',
    () => agent.plane.install(agentId, { releaseName: 'a', chartName: 'small', values }),
    'ok',
  );
});
