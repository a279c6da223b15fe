import test from 'ava';
import { ClusterHealth } from '../../src/agent/cluster-health.ts';
import { measuredJournal } from '../../src/agent/measured-journal.ts';
import { createMemoryJournal } from '../../src/journal/index.ts';
import { JournalError } from '../../src/journal/journal-error.ts';
import { agentMetrics, requestCounter } from '../../src/metrics/agent-metrics.ts';
import { openMetrics } from '../../src/metrics/prometheus.ts';
import { OperationError } from '../../src/operation/error.ts';
import { eventually } from '../support/eventually.ts';
import { testAgent } from './support/agent.ts';
import { controlPlane, install } from './support/control-plane.ts';

test('an agent counts and times its commands, and shows them at /metrics', async (t) => {
  const metrics = openMetrics(agentMetrics);
  const plane = await controlPlane(t);
  const { agent, puppets } = await testAgent(t, {
    controlPlaneUrl: plane.url,
    healthPort: 0,
    metrics,
    recorder: metrics.recorder,
  });
  const connection = await plane.connection(0);
  const scrape = async () => (await fetch(`http://127.0.0.1:${agent.healthPort ?? 0}/metrics`)).text();
  for (const key of ['a', 'b']) connection.send(install(key));
  await eventually('the first command runs', () => puppets.calls.length === 1);
  const during = await scrape();
  t.true(during.includes('helm_agent_connected 1\n'));
  t.true(during.includes('helm_agent_commands_running 1\n'));
  t.true(during.includes('helm_agent_commands_waiting 1\n'));
  const [first] = puppets.calls;
  first?.context.progress({ step: 'apply', state: 'running', time: '' });
  first?.context.progress({ step: 'apply', state: 'done', time: '' });
  first?.fail(new OperationError('not_ready', 'the Deployment web is not ready'));
  await eventually('the second command runs', () => puppets.calls.length === 2);
  puppets.calls[1]?.fail(new OperationError('cancelled', 'cancelled'));
  await eventually('no command runs', async () => (await scrape()).includes('helm_agent_commands_running 0\n'));
  const after = await scrape();
  for (const line of [
    'helm_agent_commands_total{type="install_release",result="failure"} 1',
    'helm_agent_commands_total{type="install_release",result="cancelled"} 1',
    'helm_agent_command_duration_seconds_count{type="install_release"} 2',
    'helm_agent_failures_total{code="not_ready"} 1',
    'helm_agent_queue_wait_seconds_count 2',
    'helm_agent_step_duration_seconds_count{step="apply"} 1',
    'helm_agent_connections_total{result="success"} 1',
    'helm_agent_commands_waiting 0',
  ]) {
    t.true(after.includes(`${line}\n`), line);
  }
  t.notRegex(after, /"web"|\/web/, 'no series has the name of a release');
});

test('an agent whose journal cannot be written is not ready until it can be', async (t) => {
  const metrics = openMetrics(agentMetrics);
  const memory = createMemoryJournal();
  let isBroken = true;
  const broken = () => Promise.reject(new JournalError('journal_unavailable', 'forbidden'));
  const measured = measuredJournal(
    {
      ...memory,
      durable: true,
      accept: (command) => (isBroken ? broken() : memory.accept(command)),
      check: () => (isBroken ? broken() : Promise.resolve()),
    },
    metrics.recorder,
  );
  const journalHealth = new ClusterHealth({
    probe: (signal) => measured.isWritable(signal),
    now: () => new Date(),
    intervalMs: 10,
  });
  const stopping = new AbortController();
  t.teardown(() => stopping.abort());
  void journalHealth.watch(stopping.signal);
  const { agent } = await testAgent(t, { healthPort: 0, journal: measured.journal, journalHealth });
  const probe = async () => (await fetch(`http://127.0.0.1:${agent.healthPort ?? 0}/readyz?verbose`)).text();
  t.regex(await probe(), /\[-\]journal failed\nreadyz check failed/);
  isBroken = false;
  await eventually('the agent is ready', async () => (await probe()).includes('[+]journal ok\nreadyz check passed'));
  isBroken = true;
  const command = { key: 'a', fingerprint: '', type: 't', payload: '', isDurable: true, isAnonymous: false };
  await t.throwsAsync(measured.journal.accept(command), { code: 'journal_unavailable' });
  await eventually('the agent is not ready', async () => (await probe()).includes('[-]journal failed'));
  t.true((await metrics.text()).includes('helm_agent_journal_writes_total{result="failure"} 1\n'));
});

test('a command that only reads says nothing about the journal', async (t) => {
  const metrics = openMetrics(agentMetrics);
  const memory = createMemoryJournal();
  const measured = measuredJournal({ ...memory, durable: true }, metrics.recorder);
  await measured.journal.accept({
    key: 'a',
    fingerprint: '',
    type: 't',
    payload: '',
    isDurable: false,
    isAnonymous: false,
  });
  await measured.journal.finish('a', '{}');
  t.true((await metrics.text()).includes('helm_agent_journal_writes_total{result="success"} 0\n'));
  await measured.isWritable(new AbortController().signal);
});

test('requests to the API server are counted by method and status', async (t) => {
  const { recorder, ...metrics } = openMetrics(agentMetrics);
  const count = requestCounter(recorder);
  count('GET', 200);
  count('PATCH', 418);
  count('PATCH', undefined);
  const text = await metrics.text();
  t.true(text.includes('rest_client_requests_total{method="GET",code="200"} 1\n'));
  t.true(text.includes('rest_client_requests_total{method="PATCH",code="other"} 1\n'));
  t.true(text.includes('rest_client_requests_total{method="PATCH",code="<error>"} 1\n'));
});
