import { readFileSync } from 'node:fs';
import test from 'ava';
import { version } from '../../src/bin/version.ts';

test('the version that the program says is that of package.json', (t) => {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  t.like(JSON.parse(text), { version });
});
