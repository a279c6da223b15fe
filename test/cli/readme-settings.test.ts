import { readFile } from 'node:fs/promises';
import test from 'ava';
import { runSettings } from '../../src/cli/run/settings.ts';
import type { Setting } from '../../src/cli/settings.ts';

test('the README lists the flags and variables of run, and their defaults', async (t) => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const [, section = ''] = readme.split('## Settings of the agent\n');
  const rows = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| `--'));
  const documented = rows.map((row) => /^\| `(--[\w-]+)( [^`]+)?` \| `(\w+)` \| (.+) \|$/.exec(row)?.slice(1) ?? []);
  const settings = Object.values<Setting>(runSettings);
  const expected = settings.map(({ flag, variable }) => `--${flag} ${variable}`);
  t.deepEqual(documented.map(([flag, , variable]) => `${flag ?? ''} ${variable ?? ''}`).sort(), expected.sort());
  for (const { flag: name, value: placeholder, default: fallback } of settings) {
    const [, value, , text = ''] = documented.find(([documentedFlag]) => documentedFlag === `--${name}`) ?? [];
    t.is(value !== undefined, placeholder !== undefined, `${name} takes a value in both or in none`);
    // `the name of this machine` is written in other words
    if (fallback !== undefined) t.regex(text, /default( host)?: /, `${name} has a default`);
  }
});
