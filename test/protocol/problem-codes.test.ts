import { readFile } from 'node:fs/promises';
import test from 'ava';
import { problems } from '../../src/protocol/problem-codes.ts';
import { problemClasses } from '../../src/readiness/problem.ts';

test('the protocol lists exactly the problems of readiness', (t) => {
  t.deepEqual(Object.keys(problems), Object.keys(problemClasses));
});

test('docs/readiness.md lists exactly the problems, with their classes and meanings', async (t) => {
  const text = await readFile(new URL('../../docs/readiness.md', import.meta.url), 'utf8');
  const rows = [...text.matchAll(/^\| `([a-z_]+)` +\| (\w+) +\| (.*?) *\|$/gm)].map((row) => row.slice(1, 4));
  t.deepEqual(
    rows,
    Object.entries(problems).map(([code, meaning]) => [code, problemClasses[code as keyof typeof problems], meaning]),
  );
});
