import test from 'ava';
import { RecentCommands } from '../../../src/agent/support/recent-commands.ts';
import { RecentLines } from '../../../src/agent/support/recent-lines.ts';
import { noTracing } from '../../../src/tracing/tracing.ts';

test('the newest lines are kept, up to a number of characters', (t) => {
  const lines = new RecentLines(10);
  for (const line of ['aaaa\n', 'bbbb\n', 'cc\n', 'dd\n']) lines.add(line);
  t.is(lines.text(), 'cc\ndd\n');
  lines.add(`${'x'.repeat(10_000)}\n`);
  t.is(lines.text(), '', 'the note about a long line is longer, too');
});

test('a long line is left out as a whole', (t) => {
  const lines = new RecentLines();
  lines.add('a\n');
  lines.add(`${'x'.repeat(10_000)}sentinel\n`);
  t.is(lines.text(), 'a\n(a line of 10009 characters is left out)\n');
});

test('a million lines take the memory of the newest ones', (t) => {
  const lines = new RecentLines(1000);
  const start = performance.now();
  for (let count = 0; count < 1_000_000; count++) lines.add(`line ${count}\n`);
  t.true(lines.text().length <= 1000);
  t.true(lines.text().endsWith('line 999999\n'));
  t.true(performance.now() - start < 5000);
});

test('the newest commands are kept, with the outcome of their steps and without their payloads', (t) => {
  const ended: unknown[] = [];
  const inner = {
    ...noTracing,
    begin: () => ({
      traceparent: 'parent',
      end: (result: string) => ended.push(result),
      step: (name: string) => ({ end: (result: string) => ended.push([name, result]) }),
    }),
  };
  const commands = new RecentCommands(inner, () => new Date(0));
  const attributes = { 'k8s.namespace.name': 'shop', 'helm_agent.release': 'web' };
  const span = commands.begin({ type: 'install_release', key: 'k', parent: undefined, attributes });
  span.step('render').end('success');
  span.step('wait');
  t.is(span.traceparent, 'parent');
  span.end('failure', 'not_ready');
  t.deepEqual(ended, [['render', 'success'], 'failure'], 'all are passed on');
  const [command] = commands.list();
  t.like(command, {
    ...{ type: 'install_release', key: 'k', namespace: 'shop', release: 'web', account: undefined },
    ...{ started: '1970-01-01T00:00:00.000Z', result: 'failure', code: 'not_ready' },
  });
  t.deepEqual(
    command?.steps.map(({ step, result }) => [step, result]),
    [
      ['render', 'success'],
      ['wait', undefined],
    ],
  );
});

test('commands and steps that are kept are bounded', (t) => {
  const commands = new RecentCommands(noTracing, () => new Date(0));
  for (let count = 0; count < 1000; count++) {
    const span = commands.begin({ type: 'install_release', key: String(count), parent: undefined });
    for (let step = 0; step < 1000; step++) span.step('wait').end('success');
  }
  t.is(commands.list().length, 200);
  t.is(commands.list().at(-1)?.key, '999');
  t.true(commands.list().every(({ steps }) => steps.length <= 40));
});
