import test from 'ava';
import { guard } from '../../../src/operation/agent-upgrade/guard.ts';
import fc from '../../support/fast-check.ts';
import { type Disturbance, type Fault, faults, firstTrial, SimulatedAgent } from './simulated-agent.ts';

/** The versions that prove themselves. */
const good: ReadonlySet<Fault> = new Set<Fault>(['none', 'connects late']);

/** Time of the kubelet to start a guardian again, in milliseconds. */
const restartMs = 2000;

/** Runs guardians until one ends the trial. */
async function guarded(agent: SimulatedAgent): Promise<string> {
  for (let guardian = 0; ; guardian++) {
    const outcome = await Promise.race([agent.killed, guard(agent.guarded, `guardian-${guardian}`)]);
    if (outcome !== 'killed') return outcome;
    agent.time += restartMs;
  }
}

for (const fault of faults) {
  test(`one version works after an upgrade to one that has the fault: ${fault}`, async (t) => {
    const agent = new SimulatedAgent(fault);
    const start = agent.time;
    t.is(await guarded(agent), 'ended');
    t.is(agent.deployed, good.has(fault) ? 'new' : 'old');
    t.true(agent.works);
    t.is(agent.stored?.trial.failure === undefined, good.has(fault));
    t.true(agent.time - start <= 180_000, `${agent.time - start} ms`);
  });
}

test('a version is only accepted after it has worked without a break for the time of the trial', async (t) => {
  const agent = new SimulatedAgent('none');
  const start = agent.time;
  await guarded(agent);
  t.true(agent.time - start >= firstTrial.settle);
  t.deepEqual(agent.stored?.trial.leader, { pod: 'agent-new', image: 'agent:2' });
});

test('the failure says what the new version did not do', async (t) => {
  const agent = new SimulatedAgent('cannot connect');
  await guarded(agent);
  t.deepEqual(agent.stored?.trial.failure, {
    code: 'agent_upgrade_failed',
    message: 'it has not proved itself within 80 s: not connected',
  });
  t.is(agent.stored?.trial.revision, 3);
});

test('nothing is deployed again if the upgrade was refused', async (t) => {
  const agent = new SimulatedAgent('is refused by the API server');
  await guarded(agent);
  t.deepEqual(agent.revisions, ['old']);
  t.like(agent.stored, { trial: { revision: 1, failure: { code: 'invalid' } } });
});

test('a guardian without a trial, and one whose trial has ended, change nothing', async (t) => {
  const agent = new SimulatedAgent('none');
  agent.stored = undefined;
  t.is(await guard(agent.guarded, 'g'), 'no-trial');
  agent.stored = { trial: { ...firstTrial, phase: 'ended' }, version: '1' };
  t.is(await guard(agent.guarded, 'g'), 'ended');
  t.deepEqual(agent.revisions, ['old']);
});

test('a guardian stops if another one has taken the trial over', async (t) => {
  const agent = new SimulatedAgent('none');
  const other = new SimulatedAgent('none');
  const { guarded: own } = agent;
  const first = {
    ...own,
    pause: async (milliseconds: number) => {
      await own.pause(milliseconds);
      const { trial, version } = agent.stored ?? other.stored ?? t.fail();
      agent.stored = { trial: { ...trial, guardian: 'second' }, version: `${version}0` };
    },
  };
  t.is(await guard(first, 'first'), 'taken-over');
  t.is(await guard(agent.guarded, 'second'), 'ended');
  t.is(agent.deployed, 'new');
});

for (const when of ['before', 'after'] as const) {
  for (const fault of faults) {
    test(`killed ${when} any single request, a guardian leaves one working version: ${fault}`, async (t) => {
      const undisturbed = new SimulatedAgent(fault);
      await guarded(undisturbed);
      for (let request = 0; request < undisturbed.requests; request++) {
        const agent = new SimulatedAgent(fault, { kills: new Map([[request, when]]), outages: new Map() });
        await guarded(agent);
        t.is(agent.deployed, good.has(fault) ? 'new' : 'old', `request ${request}`);
        t.true(agent.works, `request ${request}`);
      }
    });
  }
}

const moments = fc
  .array(fc.tuple(fc.nat(80), fc.constantFrom('before' as const, 'after' as const)), { maxLength: 8 })
  .map((entries) => new Map(entries));
const disturbances: fc.Arbitrary<Disturbance> = fc.record({ kills: moments, outages: moments });

test('whatever fails and whenever a guardian is killed, one version works at the end, and says so', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...faults), disturbances, async (fault, disturbance) => {
      const agent = new SimulatedAgent(fault, disturbance);
      const start = agent.time;
      await guarded(agent);
      const { trial } = agent.stored ?? { trial: firstTrial };
      const isNew = agent.deployed === 'new';
      // disturbances may end a good version, and never keep a bad one
      return (
        trial.phase === 'ended' &&
        agent.works &&
        isNew === (trial.failure === undefined) &&
        (!isNew || good.has(fault)) &&
        agent.time - start <= 300_000
      );
    }),
    { numRuns: 500 },
  );
  t.pass();
});
