import test from 'ava';
import { createMemoryStore, createPostgresStore, createSqliteStore } from '../../../src/control-plane/index.ts';
import type { Retention, RetentionOptions } from '../../../src/control-plane/store/retention.ts';

const [mib, week] = [1024 * 1024, 7 * 24 * 3_600_000];

const stored: Retention = { commands: 10_000, bytes: 512 * mib, milliseconds: week };
const inMemory: Retention = { commands: 500, bytes: 32 * mib, milliseconds: Infinity };

const stores: [place: string, open: (retention?: RetentionOptions) => Retention, defaults: Retention][] = [
  ['in memory', (retention) => createMemoryStore({ retention }).retention, inMemory],
  ['in a file', (retention) => createSqliteStore('none', { retention }).retention, stored],
  ['in PostgreSQL', (retention) => createPostgresStore({ url: 'none', retention }).retention, stored],
];

for (const [place, open, defaults] of stores) {
  test(`${place}, the parts of a retention that are not given are the default`, (t) => {
    t.deepEqual(open(), defaults);
    t.deepEqual(open({}), defaults);
    t.deepEqual(open({ commands: 3, bytes: undefined }), { ...defaults, commands: 3 });
    t.deepEqual(open({ bytes: 4, milliseconds: 5 }), { ...defaults, bytes: 4, milliseconds: 5 });
  });
}
