import test from 'ava';
import type { NewEvent } from '../../src/control-plane/command-event.ts';
import { EventLog } from '../../src/control-plane/event-log.ts';

const status: NewEvent = { type: 'agent', payload: { connected: true } };
const signature: NewEvent = { type: 'signature', payload: { envelope: '{}' } };
const result: NewEvent = { type: 'result', payload: { ok: false, error: { code: 'internal', message: 'x' } } };

const keeps = test.macro(async (t, bytes: number, expected: readonly string[]) => {
  const { signal: closed } = new AbortController();
  const log = new EventLog({ newest: 0, events: [], load: () => Promise.resolve([]), closed });
  log.add(status, 0);
  log.add(signature, 0);
  const { added, dropped } = log.add(result, bytes);
  log.publish(added.event.id);
  log.end();
  const types: string[] = [];
  for await (const { type } of log.after(0)) types.push(type);
  t.deepEqual(types, expected);
  t.is(dropped, expected.length === 3 ? undefined : 1);
});

test('all events of a command are kept if they are small', keeps, 1024, ['agent', 'signature', 'result']);

test('a result that is larger than all events may be keeps its signature', keeps, 3 * 1024 * 1024, [
  'signature',
  'result',
]);
