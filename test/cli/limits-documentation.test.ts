import { readFileSync } from 'node:fs';
import test from 'ava';
import { parseLimits } from '../../src/cli/limits.ts';
import { defaultControlPlaneLimits } from '../../src/control-plane/limits.ts';

const documentation = readFileSync(new URL('../../docs/limits.md', import.meta.url), 'utf8');
const [ofAgent = '', ofControlPlane = ''] = documentation.split('## The control plane');

/** Returns the limits in the table of a text, with their defaults. */
function limitsIn(text: string): Record<string, number> {
  const rows = Array.from(text.matchAll(/^\| `(\w+)` +\| ([\d,]+) +\|/gm));
  return Object.fromEntries(rows.map(([, name = '', value = '']) => [name, Number(value.replaceAll(',', ''))]));
}

test('docs/limits.md has each limit of an agent with its default', (t) => {
  const { render, chart, text } = parseLimits(undefined);
  t.deepEqual(limitsIn(ofAgent), { ...render, ...chart, ...text });
});

test('docs/limits.md has each limit of a control plane with its default', (t) => {
  t.deepEqual(limitsIn(ofControlPlane), { ...defaultControlPlaneLimits });
});
