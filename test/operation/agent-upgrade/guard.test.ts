import test from 'ava';
import type { Candidate } from '../../../src/operation/agent-upgrade/candidate.ts';
import { guard, type Guarded } from '../../../src/operation/agent-upgrade/guard.ts';
import type { Trial } from '../../../src/operation/agent-upgrade/trial.ts';
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

test('a trial whose version before cannot be deployed again says so, apart from what the new version did', async (t) => {
  const agent = new SimulatedAgent('cannot connect');
  const goBack = () => Promise.reject(new Error('the webhook denied the request'));
  t.is(await guard({ ...agent.guarded, goBack }, 'guardian'), 'ended');
  t.like(agent.stored?.trial, {
    ...{ phase: 'ended', from: 1, revision: 2, stuck: 'the webhook denied the request' },
    failure: { message: 'it has not proved itself within 80 s: not connected' },
  });
});

test('a trial whose upgrade has failed, and whose version before cannot be deployed again, says both', async (t) => {
  const agent = new SimulatedAgent('is refused by the API server');
  const goBack = () => Promise.reject(new Error('roles is forbidden'));
  t.is(await guard({ ...agent.guarded, goBack }, 'guardian'), 'ended');
  const failure = { code: 'invalid', message: 'the Deployment is invalid' };
  t.like(agent.stored?.trial, { phase: 'ended', revision: undefined, failure, stuck: 'roles is forbidden' });
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

/**
 * Guards an upgrade whose agent is as `at` says for the seconds since it began. `undefined`
 * is an API server that does not respond. Returns the trial at its end, and its seconds.
 */
async function watched(at: (seconds: number) => Candidate | undefined, trial: Partial<Trial> = {}) {
  const agent = new SimulatedAgent('none');
  agent.stored = { trial: { ...firstTrial, ...trial }, version: '1' };
  const start = agent.time;
  await guard(
    {
      ...agent.guarded,
      look() {
        const seen = at((agent.time - start) / 1000);
        return seen === undefined ? Promise.reject(new Error('does not respond')) : Promise.resolve(seen);
      },
    },
    'guardian',
  );
  return { trial: agent.stored.trial, seconds: (agent.time - start) / 1000 };
}

const leader = { run: 'new', pod: 'agent-new', image: 'agent:2', isReady: true };
const working: Candidate = { isRolledOut: true, isRunning: true, leader };
const unready: Candidate = { isRolledOut: true, isRunning: true, leader: { ...leader, isReady: false } };

test('a pod of the version before that stops for long does not end the new version', async (t) => {
  const stopping: Candidate = { isRolledOut: true, stopping: 'agent-old' };
  const { trial } = await watched((seconds) => (seconds < 80 ? stopping : working));
  t.is(trial.failure, undefined);
});

test('an API server that does not respond for long ends no version, and proves none', async (t) => {
  const outage = (seconds: number) => (seconds < 20 || seconds > 320 ? working : undefined);
  const { trial, seconds } = await watched(outage);
  t.is(trial.failure, undefined);
  t.true(seconds > 320 + 5, `${seconds} s`);
});

test('a version that the guardian may not look at any more is undone, and the failure says why', async (t) => {
  const agent = new SimulatedAgent('none');
  const { guarded: own } = agent;
  const start = agent.time;
  const look = () => {
    // outages in between do not make it try longer
    const isOutage = Math.floor((agent.time - start) / 10_000) % 2 === 1;
    const [code, message] = isOutage ? ['unreachable', 'does not respond'] : ['forbidden', 'leases are forbidden'];
    return Promise.reject(Object.assign(new Error(message), { code }));
  };
  const pause = async (milliseconds: number) => {
    await own.pause(milliseconds);
    if (agent.time - start > 3_600_000) throw new Error('the trial does not end');
  };
  t.is(await guard({ ...own, look, pause }, 'guardian'), 'ended');
  t.is(agent.deployed, 'old');
  t.deepEqual(agent.stored?.trial.failure, {
    code: 'agent_upgrade_failed',
    message: 'cannot look at the agent: leases are forbidden',
  });
});

test('a guardian that may not look at the agent for some minutes ends no version', async (t) => {
  const agent = new SimulatedAgent('none');
  const { guarded: own } = agent;
  const start = agent.time;
  const isForbidden = () => agent.time - start > 20_000 && agent.time - start < 320_000;
  const look: Guarded['look'] = (trial) =>
    isForbidden() ? Promise.reject(Object.assign(new Error('forbidden'), { code: 'forbidden' })) : own.look(trial);
  t.is(await guard({ ...own, look }, 'guardian'), 'ended');
  t.like(agent.stored, { trial: { phase: 'ended', failure: undefined } });
});

test('a version whose pods run gets more time on a busy machine, and one whose image is missing does not', async (t) => {
  const late = await watched((seconds) => (seconds < 140 ? { isRolledOut: false, isRunning: true } : working));
  t.is(late.trial.failure, undefined);
  const missing = await watched((seconds) => (seconds < 140 ? { isRolledOut: false } : working));
  t.regex(missing.trial.failure?.message ?? '', /has not proved itself within 12\d s/);
});

test('a version that hangs gets a quarter of the time more', async (t) => {
  const { trial } = await watched(() => ({ isRolledOut: false, isRunning: true }));
  t.regex(trial.failure?.message ?? '', /has not proved itself within 15\d s/);
});

test('a version that has no connection when its time is over may get it back', async (t) => {
  const at = (seconds: number) => (seconds < 115 || seconds > 140 ? working : unready);
  const starting: Candidate = { isRolledOut: false, isRunning: true };
  t.is((await watched((seconds) => (seconds < 95 ? starting : at(seconds)))).trial.failure, undefined);
});

test('a longer timeout lets a version be without a connection for longer', async (t) => {
  const away = (seconds: number) => (seconds < 100 ? unready : working);
  t.regex((await watched(away)).trial.failure?.message ?? '', /has not proved itself/);
  t.is((await watched(away, { timeout: 300_000 })).trial.failure, undefined);
});

test('the time without a guardian does not count', async (t) => {
  const watching: Partial<Trial> = { phase: 'watching', guardian: 'before', revision: 2, deadline: 0 };
  t.is((await watched((seconds) => (seconds < 10 ? unready : working), watching)).trial.failure, undefined);
});

test('an upgrade that the API server ends before anything is stored is attempted again', async (t) => {
  const agent = new SimulatedAgent('none');
  const { guarded: own } = agent;
  let attempts = 0;
  const guardedAgent: Guarded = {
    ...own,
    async upgrade(trial, state, save) {
      attempts += 1;
      if (attempts < 4) throw Object.assign(new Error('does not respond'), { code: 'unreachable' });
      return await own.upgrade(trial, state, save);
    },
  };
  t.is(await guard(guardedAgent, 'guardian'), 'ended');
  t.is(attempts, 4);
  t.like(agent.stored, { trial: { phase: 'ended', revision: 2, failure: undefined } });
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
