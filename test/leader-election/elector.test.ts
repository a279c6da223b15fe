import { randomBytes } from 'node:crypto';
import type { ExecutionContext } from 'ava';
import { KubeError } from '../../src/kube/kube-error.ts';
import { defaultElectionTimes } from '../../src/leader-election/election-times.ts';
import { type Elector, type ElectorOptions, LeaseElector } from '../../src/leader-election/elector.ts';
import type { Term } from '../../src/leader-election/term.ts';
import type { Cluster } from '../../src/objects/cluster.ts';
import type { ObjectRef } from '../../src/objects/object.ts';
import { sandboxTest } from '../operation/world.ts';
import { Simulation } from './support/simulation.ts';

const test = sandboxTest();

type Context = ExecutionContext<{ cluster: Cluster; kubeconfig: string }>;

interface Candidate {
  elector: Elector;
  /** The terms that it has had. */
  terms: Term[];
  /** Whether its last term has not ended. */
  leads(): boolean;
  /** Ends its attempts without a release, like SIGKILL. */
  kill(): void;
  /** Releases the Lease and makes no attempts any more. */
  stop(): Promise<void>;
}

/** A Lease and the processes that compete for it, in simulated time. */
function electionOf(t: Context) {
  const simulation = new Simulation();
  const name = `lease-${randomBytes(4).toString('hex')}`;
  const ref: ObjectRef = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: 'default', name };
  const problems: unknown[] = [];
  const spec = async () => (await t.context.cluster.get(ref))?.['spec'] as Record<string, unknown>;
  const start = (identity: string, overrides: Partial<ElectorOptions> = {}): Candidate => {
    const [killed, stopping] = [new AbortController(), new AbortController()];
    const clock = overrides.clock ?? simulation.clock();
    const elector = new LeaseElector({
      ...{ ref, labels: {}, identity, times: defaultElectionTimes },
      cluster: simulation.watched(t.context.cluster),
      onProblem: (error) => void problems.push(error),
      ...overrides,
      clock: {
        ...clock,
        sleep: async (milliseconds, signal) => {
          const isOver = await clock.sleep(milliseconds, signal);
          if (killed.signal.aborted) await new Promise(() => undefined); // a process that is gone does nothing
          return isOver;
        },
      },
    });
    const terms: Term[] = [];
    void (async () => {
      for (;;) {
        const term = await elector.acquire(stopping.signal);
        if (term === undefined) return;
        terms.push(term);
        await new Promise((resolve) => term.signal.addEventListener('abort', resolve));
      }
    })();
    t.teardown(() => {
      stopping.abort();
      killed.abort();
    });
    const leads = () => !killed.signal.aborted && terms.at(-1)?.signal.aborted === false;
    const stop = async () => {
      stopping.abort();
      await terms.at(-1)?.release();
    };
    return { elector, terms, leads, kill: () => killed.abort(), stop };
  };
  return { simulation, start, spec, problems, ref };
}

test('the first process takes the Lease, and renews it as long as it runs', async (t) => {
  const { simulation, start, spec } = electionOf(t);
  const a = start('a');
  await simulation.until(() => a.leads());
  t.is(simulation.now, 0);
  t.deepEqual(await spec(), {
    holderIdentity: 'a',
    leaseDurationSeconds: 15,
    acquireTime: '2030-01-01T00:00:00.000000Z',
    renewTime: '2030-01-01T00:00:00.000000Z',
    leaseTransitions: 0,
  });
  const b = start('b');
  await simulation.pass(61_000);
  t.true(a.leads());
  t.is(b.terms.length, 0);
  t.is(b.elector.leader, 'a');
  t.like(await spec(), {
    holderIdentity: 'a',
    acquireTime: '2030-01-01T00:00:00.000000Z',
    renewTime: '2030-01-01T00:01:00.000000Z',
    leaseTransitions: 0,
  });
});

test('another process leads when the Lease was not renewed for its duration, and not before', async (t) => {
  const { simulation, start, spec } = electionOf(t);
  const [a, b] = [start('a'), start('b')];
  await simulation.until(() => a.leads() || b.leads());
  const [leader, other] = a.leads() ? [a, b] : [b, a];
  await simulation.pass(5000);
  const killedAt = simulation.now;
  leader.kill();
  await simulation.until(() => other.leads());
  const waited = simulation.now - killedAt;
  t.true(waited >= 13_000, 'the last renewal was at most a retry period before');
  t.true(waited <= 15_000 + 2000 * 2.2 * 2);
  t.is((await spec())['leaseTransitions'], 1);
});

test('a clock that is hours off changes nothing', async (t) => {
  const { simulation, start } = electionOf(t);
  const a = start('a', { clock: simulation.clock({ offset: -7_200_000 }) });
  await simulation.until(() => a.leads());
  const b = start('b', { clock: simulation.clock({ offset: 7_200_000 }) });
  await simulation.pass(120_000);
  t.true(a.leads());
  t.is(b.terms.length, 0);
});

test('two processes whose clocks run at different speeds never lead at the same time', async (t) => {
  const { simulation, start } = electionOf(t);
  const failing = { isCut: false };
  const cluster = cutOff(simulation.watched(t.context.cluster), failing);
  const a = start('a', { clock: simulation.clock({ rate: 0.9 }), cluster });
  await simulation.until(() => a.leads());
  const b = start('b', { clock: simulation.clock({ rate: 1.1 }) });
  await simulation.pass(10_000);
  failing.isCut = true;
  await simulation.until(() => b.leads());
  t.false(a.leads());
});

test('a leader that cannot renew the Lease stops after the renew deadline, before another one leads', async (t) => {
  const { simulation, start, problems } = electionOf(t);
  const failing = { isCut: false };
  const a = start('a', { cluster: cutOff(simulation.watched(t.context.cluster), failing) });
  await simulation.until(() => a.leads());
  const b = start('b');
  await simulation.pass(4500);
  failing.isCut = true;
  const [term] = a.terms;
  const stillLeft = term?.timeLeft() ?? 0;
  t.true(stillLeft <= 15_000 && stillLeft >= 12_000);
  await simulation.until(() => !a.leads());
  t.is(simulation.now, 14_000, 'ten seconds after the last renewal');
  t.is(b.terms.length, 0);
  t.throws(() => term?.timeLeft(), { name: 'LeaseLostError' });
  await simulation.until(() => b.leads());
  t.true(simulation.now >= 4000 + 15_000);
  t.is(problems.length, 1, 'a row of failures is one problem');
});

test('requests that are not answered do not keep a leader', async (t) => {
  const { simulation, start } = electionOf(t);
  const hanging = { isCut: false };
  const watched = simulation.watched(t.context.cluster);
  const hang = (signal?: AbortSignal) =>
    new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
  const cluster: Cluster = {
    ...watched,
    get: (ref, signal) => (hanging.isCut ? hang(signal) : watched.get(ref, signal)),
    replace: (object, options) => (hanging.isCut ? hang(options?.signal) : watched.replace(object, options)),
  };
  const a = start('a', { cluster });
  await simulation.until(() => a.leads());
  await simulation.pass(100);
  hanging.isCut = true;
  await simulation.until(() => !a.leads());
  t.is(simulation.now, 10_000);
});

test('a leader leads on after some failures, and after an update whose answer was lost', async (t) => {
  const { simulation, start } = electionOf(t);
  const watched = simulation.watched(t.context.cluster);
  let updates = 0;
  const cluster: Cluster = {
    ...watched,
    async replace(object, options) {
      updates += 1;
      if (updates % 3 === 1) throw new KubeError('server_error', 'later', { status: 500 });
      const replaced = await watched.replace(object, options);
      if (updates % 3 === 2) throw new KubeError('unreachable', 'the connection broke');
      return replaced;
    },
  };
  const a = start('a', { cluster });
  const b = start('b');
  await simulation.until(() => a.leads());
  await simulation.pass(60_000);
  t.true(a.leads());
  t.is(a.terms.length, 1);
  t.is(b.terms.length, 0);
});

test('a released Lease is taken at the next attempt', async (t) => {
  const { simulation, start, spec } = electionOf(t);
  const a = start('a');
  await simulation.until(() => a.leads());
  const b = start('b');
  await simulation.pass(30_000);
  const releasedAt = simulation.now;
  const stopped = a.stop();
  await simulation.until(() => b.leads());
  await stopped;
  t.true(simulation.now - releasedAt <= 2000 * 2.2);
  t.like(await spec(), { holderIdentity: 'b', leaseTransitions: 1 });
});

test('a released Lease is empty, as that of client-go', async (t) => {
  const { simulation, start, spec } = electionOf(t);
  const a = start('a');
  await simulation.until(() => a.leads());
  await a.stop();
  t.like(await spec(), { holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 0 });
});

test('a leader stops when it sees that another one has the Lease', async (t) => {
  const { simulation, start, ref } = electionOf(t);
  const a = start('a');
  await simulation.until(() => a.leads());
  const { cluster } = t.context;
  const spec = { holderIdentity: 'another', leaseDurationSeconds: 15 };
  await cluster.mergePatch(ref, { spec });
  await simulation.until(() => !a.leads());
  t.is(simulation.now, 2000);
  await simulation.until(() => a.leads());
  t.true(simulation.now >= 17_000);
});

test('a leader whose process was stopped for long writes nothing when it continues', async (t) => {
  const { simulation, start } = electionOf(t);
  const a = start('a');
  await simulation.until(() => a.leads());
  const [term] = a.terms;
  let isTold = false;
  term?.signal.addEventListener('abort', () => (isTold = true));
  simulation.freeze(10_000);
  t.throws(() => term?.timeLeft(), { name: 'LeaseLostError' });
  t.true(isTold, 'before anything else runs');
});

/** Returns the cluster, to which no request gets through while it is cut off. */
function cutOff(cluster: Cluster, state: { isCut: boolean }): Cluster {
  const check = () => {
    if (state.isCut) throw new KubeError('unreachable', 'no route to host');
  };
  return {
    ...cluster,
    async get(...args) {
      check();
      return await cluster.get(...args);
    },
    async replace(...args) {
      check();
      return await cluster.replace(...args);
    },
  };
}
