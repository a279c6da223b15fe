import { readFile } from 'node:fs/promises';
import test from 'ava';
import * as z from 'zod';
import { testProgram } from '../support/program.ts';

/** Flags of each verb, as `helm VERB --help` lists them, with the global ones. */
const fixture = z
  .object({ command: z.string(), version: z.string(), verbs: z.record(z.string(), z.array(z.string())) })
  .parse(JSON.parse(await readFile(new URL('fixtures/helm-flags.json', import.meta.url), 'utf8')));

/** Returns the flags that the help of a command lists. */
async function acceptedFlags(verb: readonly string[]): Promise<Set<string>> {
  const { run, stdout } = testProgram();
  await run('ctl', ...verb, '--help');
  return new Set([...stdout.text.matchAll(/^ +(?:-\w, )?(--[\w-]+)/gm)].map(([, flag = '']) => flag));
}

for (const [name, flags] of Object.entries(fixture.verbs)) {
  const verb = name.split(' ');
  test(`ctl ${name} accepts each flag of helm ${fixture.version}, or says what to do instead`, async (t) => {
    const accepted = await acceptedFlags(verb);
    t.true(accepted.has('--agent'), 'the help was read');
    t.true(flags.length >= 20, 'the fixture was read');
    for (const flag of flags.filter((each) => !accepted.has(each))) {
      const { run, stderr } = testProgram();
      t.is(await run('ctl', ...verb, 'web', 'nginx', '--agent', 'edge-1', flag, 'x'), 1, flag);
      t.regex(stderr.text, new RegExp(`^Error: helm-agent ctl ${name} has no ${flag}, unlike helm: .+\n`), flag);
    }
  });
}
