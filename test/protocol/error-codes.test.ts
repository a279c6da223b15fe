import { readFile } from 'node:fs/promises';
import test from 'ava';
import { errorCodes } from '../../src/protocol/error-codes.ts';

const ROW = /^\| `([a-z_]+)` \| (.*) \|$/gm;

test('docs/errors.md lists every error code with its meaning, and no other', async (t) => {
  const text = await readFile(new URL('../../docs/errors.md', import.meta.url), 'utf8');
  const rows = [...text.matchAll(ROW)].map(([, code, meaning]) => [code ?? '', meaning ?? ''] as const);
  t.deepEqual(new Map<string, string>(rows), new Map(Object.entries(errorCodes)));
});
