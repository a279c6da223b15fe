import { readFileSync } from 'node:fs';
import test from 'ava';
import { parseLimits } from '../../src/cli/limits.ts';

test('docs/limits.md has each limit with its default', (t) => {
  const text = readFileSync(new URL('../../docs/limits.md', import.meta.url), 'utf8');
  const rows = Array.from(text.matchAll(/^\| `(\w+)` +\| ([\d,]+) +\|/gm));
  const documented = rows.map(([, name, value = '']) => [name, Number(value.replaceAll(',', ''))] as const);
  const { render, chart, text: texts } = parseLimits(undefined);
  t.deepEqual(Object.fromEntries(documented), { ...render, ...chart, ...texts });
});
