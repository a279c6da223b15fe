import { randomBytes } from 'node:crypto';
import type { ExecutionContext } from 'ava';
import { type ClusterJournalOptions, createClusterJournal } from '../../src/journal/cluster/cluster-journal.ts';
import type { Journal, JournaledCommand } from '../../src/journal/journal.ts';
import { KubeError } from '../../src/kube/kube-error.ts';
import type { Cluster } from '../../src/objects/cluster.ts';
import type { KubeObject } from '../../src/objects/object.ts';
import type { OperationState } from '../../src/operation/state/operation-state.ts';
import { sandboxTest } from '../operation/world.ts';

const test = sandboxTest();

type Context = ExecutionContext<{ cluster: Cluster; kubeconfig: string }>;

const command = (key: string, fields: Partial<JournaledCommand> = {}): JournaledCommand => ({
  ...{ key, fingerprint: `f-${key}`, type: 'install_release', isDurable: true, isAnonymous: false },
  payload: `{"repoPassword":"sentinel-${key}"}`,
  ...fields,
});

const stateAt = (step: string): OperationState => ({
  ...{ format: 1, id: 'k', verb: 'install', namespace: 'shop', releaseName: 'web', phase: 'main', step },
  deadline: { at: 1, timeout: 1 },
});

/** Returns a cluster whose first answer to a `create` is lost, and how many it has given. */
function losingFirst(cluster: Cluster) {
  let attempts = 0;
  const losing: Cluster = {
    ...cluster,
    async create(...args) {
      const created = await cluster.create(...args);
      if (++attempts === 1) throw new KubeError('unreachable', 'the connection broke');
      return created;
    },
  };
  return { losing, attempts: () => attempts };
}

/** Returns journals of one agent in a namespace of its own, and the requests that they send. */
async function agentOf(t: Context, options: Partial<ClusterJournalOptions> = {}) {
  const namespace = `journal-${randomBytes(4).toString('hex')}`;
  const { cluster } = t.context;
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const requests: string[] = [];
  const counted: Cluster = {
    ...cluster,
    create: (...args) => counting('create', cluster.create(...args)),
    apply: (...args) => counting('apply', cluster.apply(...args)),
    mergePatch: (...args) => counting('patch', cluster.mergePatch(...args)),
    delete: (...args) => counting('delete', cluster.delete(...args)),
  };
  async function counting<T>(verb: string, request: Promise<T>): Promise<T> {
    requests.push(verb);
    return await request;
  }
  const problems: string[] = [];
  const start = (instanceId: string, more: Partial<ClusterJournalOptions> = {}) => {
    const journal = createClusterJournal({
      ...{ cluster: counted, namespace, agentId: 'edge-1', instanceId, now: Date.now },
      onProblem: (message) => void problems.push(message),
      ...options,
      ...more,
    });
    t.teardown(() => journal.close());
    return journal;
  };
  const secrets = async (): Promise<KubeObject[]> =>
    await cluster.list({ apiVersion: 'v1', kind: 'Secret', namespace, labelSelector: 'helm-agent/journal' });
  return { start, secrets, requests, problems, cluster: counted };
}

test('a command costs one write before it is accepted, and one at its end', async (t) => {
  const { start, requests } = await agentOf(t);
  const journal = start('a');
  t.true(journal.durable);
  t.is(await journal.accept(command('k')), undefined);
  t.deepEqual(requests, ['create']);
  await journal.save('k', stateAt('record'));
  await journal.finish('k', 'done');
  t.deepEqual(requests, ['create', 'patch', 'patch']);
});

test('states that are saved during a write are stored with one further write', async (t) => {
  const { start, requests } = await agentOf(t);
  const journal = start('a');
  await journal.accept(command('k'));
  await Promise.all(['history', 'load', 'crds', 'render', 'check'].map((step) => journal.save('k', stateAt(step))));
  t.true(requests.length <= 3);
  const [left] = await start('b').takeOver();
  t.is(left?.state?.step, 'check');
});

test('another process takes over what is not finished, in the order of acceptance', async (t) => {
  const { start } = await agentOf(t);
  const first = start('a');
  const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
  for (const key of ['z', 'done']) await first.accept(command(key));
  await first.accept(command('y', { traceparent, account: 'shop/deployer' }));
  await first.save('y', stateAt('apply'));
  await first.finish('done', 'outcome');
  const second = start('b');
  t.deepEqual(await second.takeOver(), [
    { ...command('z'), state: undefined, failedContinuations: 0, isSuspect: false },
    {
      ...command('y', { traceparent, account: 'shop/deployer' }),
      ...{ state: stateAt('apply'), failedContinuations: 0, isSuspect: false },
    },
  ]);
  t.deepEqual(await second.accept(command('done')), { fingerprint: 'f-done', outcome: 'outcome' });
});

test('lists the commands of this process and of earlier ones, without their payloads', async (t) => {
  const { start, requests } = await agentOf(t);
  let time = 100;
  const first = start('a', { now: () => ++time });
  for (const key of ['runs', 'ended']) await first.accept(command(key));
  await first.accept(command('anonymous', { isAnonymous: true }));
  await first.accept(command('reads', { isDurable: false }));
  await first.finish('ended', 'outcome');
  const listed = (key: string, acceptedAt: number) => {
    return { key, fingerprint: `f-${key}`, type: 'install_release', acceptedAt };
  };
  t.deepEqual(first.list(), [listed('runs', 101), listed('ended', 102)]);
  const second = start('b', { now: () => 200 });
  await second.takeOver();
  await second.accept(command('new'));
  const sent = requests.length;
  t.deepEqual(second.list(), [listed('runs', 101), listed('ended', 102), listed('new', 200)]);
  t.is(requests.length, sent, 'without a request');
});

test('lists nothing that is not kept any more', async (t) => {
  const { start } = await agentOf(t, { limits: { maxFinished: 1, maxBytes: 1_000_000, maxAgeMs: 1_000_000 } });
  const journal = start('a');
  for (const key of ['a', 'b']) {
    await journal.accept(command(key));
    await journal.finish(key, 'outcome');
  }
  t.deepEqual(
    journal.list().map(({ key }) => key),
    ['b'],
  );
});

/** Returns how many processes have continued the command `k` and have not ended orderly. */
const failuresOf = async (journal: Journal) => (await journal.takeOver()).map((left) => left.failedContinuations);

test('counts the processes that have continued a command, and have not ended orderly', async (t) => {
  const { start, requests } = await agentOf(t);
  await start('a').accept(command('k'));
  const second = start('b');
  t.deepEqual(await failuresOf(second), [0], 'the process that has accepted it does not count');
  const third = start('c');
  t.deepEqual(await failuresOf(third), [0], 'a command that still waited does not count');
  await third.continuing('k', true);
  await third.save('k', stateAt('wait'));
  const fourth = start('d');
  t.deepEqual(await failuresOf(fourth), [1]);
  await fourth.continuing('k', true);
  await fourth.leave();
  const fifth = start('e');
  t.deepEqual(await failuresOf(fifth), [1], 'a process that ends orderly does not count');
  await fifth.continuing('k', true);
  t.deepEqual(await failuresOf(start('f')), [2]);
  requests.length = 0;
  const idle = start('g');
  await idle.accept(command('other'));
  await idle.leave();
  t.deepEqual(requests, ['create'], 'a command that was not continued costs no write more');
});

test('a command that gets further in a process has not ended the processes before', async (t) => {
  const { start } = await agentOf(t);
  const first = start('a');
  await first.accept(command('k'));
  await first.save('k', stateAt('apply'));
  const counts: number[] = [];
  for (const [index, step] of ['apply', 'wait', 'wait', 'wait', undefined].entries()) {
    const journal = start(`process-${index}`);
    counts.push(...(await failuresOf(journal)));
    await journal.continuing('k', true);
    if (step !== undefined) await journal.save('k', stateAt(step));
  }
  t.deepEqual(counts, [0, 1, 0, 1, 2]);
});

test('a process that has continued several commands counts against none of them', async (t) => {
  const { start } = await agentOf(t);
  await start('a').accept(command('k'));
  const facts: unknown[] = [];
  for (const [index, isAlone] of [false, false, true, true].entries()) {
    const journal = start(`process-${index}`);
    const [left] = await journal.takeOver();
    facts.push([left?.failedContinuations, left?.isSuspect]);
    await journal.continuing('k', isAlone);
  }
  const last = start('last');
  facts.push(await failuresOf(last));
  await last.continuing('k', false);
  await last.leave();
  facts.push(await failuresOf(start('other')));
  t.deepEqual(facts, [[0, false], [0, true], [0, true], [1, true], [2], [2]]);
});

test('reads an entry in which an earlier version has noted the processes that have continued it', async (t) => {
  const { start, secrets, cluster } = await agentOf(t);
  await start('first').accept(command('k'));
  const [secret] = await secrets();
  const { head = '' } = secret?.['data'] as Record<string, string>;
  const stored = JSON.parse(Buffer.from(head, 'base64').toString()) as object;
  const old = { ...stored, continuedBy: ['a with others', 'b', 'c with others', 'd'] };
  const { namespace = '', name = '' } = secret?.metadata ?? {};
  const data = { head: Buffer.from(JSON.stringify(old)).toString('base64') };
  await cluster.mergePatch({ apiVersion: 'v1', kind: 'Secret', namespace, name }, { data });
  // each of them lives, so it has not ended with the command
  for (const [processId, failedContinuations, isSuspect] of [
    ['other', 2, true],
    ['b', 1, true],
    ['d', 0, true],
    ['a', 0, true],
    ['c', 0, false],
  ] as const) {
    const [left] = await start(`term of ${processId}`, { processId }).takeOver();
    t.like(left, { failedContinuations, isSuspect }, processId);
  }
});

test('a process that has lost its term and leads again has not ended', async (t) => {
  const { start } = await agentOf(t);
  await start('a').accept(command('k'));
  const journals = ['1', '2', '3', '4', '5', '6'].map((term, index) => {
    return start(`term-${term}`, { processId: index % 2 === 0 ? 'even' : 'odd' });
  });
  const counts: number[] = [];
  for (const journal of journals) {
    counts.push(...(await failuresOf(journal)));
    await journal.continuing('k', true);
  }
  t.deepEqual(counts, [0, 1, 1, 1, 1, 1]);
});

test('a process whose command was taken over cannot continue or leave it', async (t) => {
  const { start, problems } = await agentOf(t);
  await start('a').accept(command('k'));
  const old = start('b');
  await old.takeOver();
  await old.continuing('k', true);
  const young = start('c');
  await young.takeOver();
  await t.throwsAsync(old.continuing('k', true), { code: 'journal_lost' });
  await old.leave();
  t.deepEqual(await failuresOf(start('d')), [1]);
  t.deepEqual(problems, []);
});

test('a command that has ended is not changed when its process ends', async (t) => {
  const { start } = await agentOf(t);
  await start('a').accept(command('k'));
  const journal = start('b');
  await journal.takeOver();
  await journal.continuing('k', true);
  await Promise.all([journal.finish('k', 'done'), journal.leave()]);
  t.is((await start('c').find('k'))?.outcome, 'done');
});

test('a process whose command was taken over cannot write to it any more', async (t) => {
  const { start } = await agentOf(t);
  const [old, young] = [start('a'), start('b')];
  await old.accept(command('k'));
  await old.save('k', stateAt('apply'));
  await young.takeOver();
  await t.throwsAsync(old.save('k', stateAt('wait')), { code: 'journal_lost' });
  await young.finish('k', 'young');
  await t.throwsAsync(old.finish('k', 'old'), { code: 'journal_lost' });
  t.deepEqual(await start('c').find('k'), { fingerprint: 'f-k', outcome: 'young' });
});

test('a key that is running or finished is known to every process, also with another command', async (t) => {
  const { start } = await agentOf(t);
  const [first, second] = [start('a'), start('b')];
  await first.accept(command('k'));
  t.deepEqual(await second.accept(command('k', { fingerprint: 'other' })), { fingerprint: 'f-k' });
  await first.finish('k', 'done');
  t.deepEqual(await second.accept(command('k', { fingerprint: 'other' })), { fingerprint: 'f-k', outcome: 'done' });
});

test('payloads and states are only in Secrets, and are gone when their command has ended', async (t) => {
  const { start, secrets } = await agentOf(t);
  const journal = start('a');
  await journal.accept(command('k', { payload: `{"values":"${randomBytes(3_000_000).toString('base64')}"}` }));
  await journal.save('k', stateAt('apply'));
  t.true((await secrets()).length > 2);
  for (const { metadata } of await secrets()) t.regex(metadata.labels?.['helm-agent/journal'] ?? '', /^[0-9a-f]{40}$/);
  const [left] = await start('b').takeOver();
  t.is(left?.payload.length, 4_000_000 + '{"values":""}'.length);
  const second = start('c');
  await second.takeOver();
  await second.finish('k', 'done');
  const [entry, ...others] = await secrets();
  t.deepEqual(others, []);
  t.deepEqual(Object.keys(entry?.['data'] ?? {}).sort(), ['head', 'outcome']);
});

/** Returns a payload that is stored in two parts. */
const largePayload = () => `{"values":"${randomBytes(1_400_000).toString('base64')}"}`;

test('a large command that is repeated leaves no payload after the first one has finished', async (t) => {
  const { start, secrets, requests } = await agentOf(t);
  const journal = start('a');
  const large = command('k', { payload: largePayload() });
  await journal.accept(large);
  await journal.finish('k', 'done');
  requests.length = 0;
  t.deepEqual(await journal.accept(large), { fingerprint: 'f-k', outcome: 'done' });
  t.false(requests.includes('apply'));
  t.is((await secrets()).length, 1);
});

test('a large command leaves no payload if another one with its key has finished at the same time', async (t) => {
  const { start, secrets, cluster } = await agentOf(t);
  const other = start('a');
  let isFirst = true;
  const overtaken: Cluster = {
    ...cluster,
    async create(...args) {
      if (isFirst) {
        isFirst = false;
        await other.accept(command('k'));
        await other.finish('k', 'done');
      }
      return await cluster.create(...args);
    },
  };
  const journal = start('b', { cluster: overtaken });
  t.deepEqual(await journal.accept(command('k', { payload: largePayload() })), { fingerprint: 'f-k', outcome: 'done' });
  t.is((await secrets()).length, 1);
});

test('a command with the key of a running one does not overwrite its payload', async (t) => {
  const { start } = await agentOf(t);
  const journal = start('a');
  const first = command('k', { payload: largePayload() });
  await journal.accept(first);
  t.deepEqual(await journal.accept(command('k', { fingerprint: 'other', payload: largePayload() })), {
    fingerprint: 'f-k',
  });
  const [left] = await start('b').takeOver();
  t.true(left?.payload === first.payload);
});

test('a large command whose answer was lost is accepted once', async (t) => {
  const { start, cluster } = await agentOf(t);
  const payload = largePayload();
  const { losing, attempts } = losingFirst(cluster);
  t.is(await start('a', { cluster: losing }).accept(command('k', { payload })), undefined);
  t.is(attempts(), 1);
  t.true((await start('b').takeOver())[0]?.payload === payload);
});

test('an outcome that does not fit into a Secret is stored in several', async (t) => {
  const { start } = await agentOf(t);
  const journal = start('a');
  await journal.accept(command('k'));
  const outcome = randomBytes(2_000_000).toString('base64');
  await journal.finish('k', outcome);
  t.is((await start('b').find('k'))?.outcome, outcome);
});

test('an anonymous command is deleted when it ends', async (t) => {
  const { start, secrets } = await agentOf(t);
  const journal = start('a');
  await journal.accept(command('k', { isAnonymous: true }));
  t.is((await secrets()).length, 1);
  await journal.finish('k', 'done');
  t.deepEqual(await secrets(), []);
});

test('commands that only read are not stored, and their keys are known', async (t) => {
  const { start, requests } = await agentOf(t);
  const journal = start('a');
  await journal.accept(command('k', { isDurable: false }));
  await journal.finish('k', 'done');
  t.deepEqual(requests, []);
  t.deepEqual(await journal.accept(command('k', { fingerprint: 'other' })), { fingerprint: 'f-k', outcome: 'done' });
});

test('agents in one namespace do not see the commands of each other', async (t) => {
  const { start } = await agentOf(t);
  await start('a').accept(command('k'));
  const other = start('b', { agentId: 'edge-2' });
  t.deepEqual(await other.takeOver(), []);
  t.is(await other.accept(command('k')), undefined);
});

test('the oldest results are deleted beyond the limits, also after a restart', async (t) => {
  let now = Date.now();
  const limits = { maxFinished: 2, maxBytes: 1e6, maxAgeMs: 1000 };
  const { start, secrets } = await agentOf(t, { limits, now: () => now });
  const first = start('a');
  for (const key of ['a', 'b', 'c']) {
    await first.accept(command(key));
    await first.finish(key, 'done');
    now += 100;
  }
  t.is(await first.find('a'), undefined);
  const second = start('b');
  await second.takeOver();
  await second.accept(command('d'));
  await second.finish('d', 'done');
  t.is(await second.find('b'), undefined);
  t.truthy(await second.find('c'));
  now += 2000;
  await start('c').takeOver();
  t.deepEqual(await secrets(), []);
});

test('a command that cannot be stored is refused, and one whose answer was lost is accepted once', async (t) => {
  const { start, cluster, secrets } = await agentOf(t);
  const refusing: Cluster = { ...cluster, create: () => Promise.reject(new KubeError('forbidden', 'no rights')) };
  await t.throwsAsync(start('a', { cluster: refusing }).accept(command('k')), {
    code: 'journal_unavailable',
    message: 'the command was not started, because it cannot be stored: no rights',
  });
  const { losing } = losingFirst(cluster);
  t.is(await start('b', { cluster: losing }).accept(command('k')), undefined);
  t.is((await secrets()).length, 1);
});

test('an outcome is stored when the API server is back', async (t) => {
  const { start, cluster } = await agentOf(t);
  let failures = 3;
  const failing: Cluster = {
    ...cluster,
    async mergePatch(...args) {
      if (failures-- > 0) throw new KubeError('server_error', 'later', { status: 500 });
      return await cluster.mergePatch(...args);
    },
  };
  const journal = start('a', { cluster: failing });
  await journal.accept(command('k'));
  await journal.finish('k', 'done');
  t.is((await journal.find('k'))?.outcome, 'done');
});

test('a command that a newer version has journaled is left, and its key is taken', async (t) => {
  const { start, secrets, cluster, problems } = await agentOf(t);
  await start('a').accept(command('k'));
  const [secret] = await secrets();
  const head = Buffer.from('{"format":2}').toString('base64');
  const { name, namespace = '' } = secret?.metadata ?? { name: '' };
  await cluster.mergePatch({ apiVersion: 'v1', kind: 'Secret', name, namespace }, { data: { head } });
  const journal = start('b');
  t.deepEqual(await journal.takeOver(), []);
  t.is(problems.length, 1);
  t.deepEqual(await journal.accept(command('k')), { fingerprint: '' });
});
