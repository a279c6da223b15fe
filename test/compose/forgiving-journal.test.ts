import test from 'ava';
import { forgivingJournal } from '../../src/compose/forgiving-journal.ts';
import { createMemoryJournal } from '../../src/journal/index.ts';
import type { Cluster } from '../../src/objects/cluster.ts';
import { type Trial, trialSecret } from '../../src/operation/agent-upgrade/trial.ts';
import { firstTrial } from '../operation/agent-upgrade/simulated-agent.ts';

/** Returns which commands a process is blamed for, with a trial in a phase. */
async function blamed(phase: Trial['phase'] | undefined): Promise<string[]> {
  const { namespace, agentId } = firstTrial;
  const secrets = new Map<string, object>();
  const cluster = {
    get: ({ name }: { name: string }) => Promise.resolve(secrets.get(name)),
    create(object: { metadata: { name: string } }) {
      secrets.set(object.metadata.name, object);
      return Promise.resolve(object);
    },
  } as unknown as Cluster; // the requests that a trial sends
  if (phase !== undefined) await trialSecret(cluster, namespace, agentId).write({ ...firstTrial, phase }, undefined);
  const keys: string[] = [];
  const journal = createMemoryJournal();
  const noting = {
    ...journal,
    continuing(key: string) {
      keys.push(key);
      return Promise.resolve();
    },
  };
  await forgivingJournal(noting, { cluster, namespace, agentId }).continuing('k', true);
  return keys;
}

test('a process that continues a command is blamed for its end', async (t) => {
  t.deepEqual(await blamed(undefined), ['k']);
});

test('a version on trial is not blamed, and one after the trial is', async (t) => {
  t.deepEqual(await blamed('watching'), []);
  t.deepEqual(await blamed('returning'), []);
  t.deepEqual(await blamed('ended'), ['k']);
});
