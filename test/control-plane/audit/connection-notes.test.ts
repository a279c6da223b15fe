import test from 'ava';
import { ConnectionNotes } from '../../../src/control-plane/audit/connection-notes.ts';
import { eventually } from '../../support/eventually.ts';

test('an agent that connects all the time is noted once in an interval, and its last state always is', async (t) => {
  const notes: string[] = [];
  const connections = new ConnectionNotes((agentId, isConnected) => notes.push(`${agentId} ${isConnected}`), 50);
  for (let count = 0; count < 1000; count++) {
    connections.changed('a', true);
    connections.changed('a', false);
  }
  connections.changed('b', true);
  t.deepEqual(notes, ['a true', 'b true']);
  await eventually('the last state is noted', () => notes.length === 3);
  t.is(notes[2], 'a false');
  connections.changed('b', false);
  connections.close();
  connections.changed('c', true);
  t.false(notes.includes('c true'));
});
