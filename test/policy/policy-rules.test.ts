import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { openPolicyFile } from '../../src/policy/policy-file.ts';
import { readPolicy } from '../../src/policy/policy-rules.ts';
import type { PolicyScope } from '../../src/policy/policy-scope.ts';
import { maxOwnerFileBytes } from '../../src/rights/owner-file.ts';

const scope: PolicyScope = {
  ...{ type: 'install_release', right: 'deploy', namespace: 'shop', releaseName: 'web', sentBy: undefined },
  ...{ changes: true, chart: undefined, payload: {} },
};

/** No policy here has conditions. */
const nothing = () => Promise.resolve([]);
const evaluator = { compile: nothing, evaluate: nothing, evaluateObjects: nothing };
const options = { evaluator, clusterTime: () => ({ earliest: 0, latest: 0 }) };

const ruleOf = (fields: string) => `rules:\n  - { name: a, ${fields} }\ndefault: deny\n`;

const wrong = test.macro((t, text: string, message: RegExp) => {
  t.throws(() => readPolicy(text), { message });
});

test('an empty file is refused', wrong, '', /must have the fields rules and default/);
test('a half written file is refused', wrong, 'default: allow\nrules: []\n', /last field must be default/);
test('a file without its last line break is refused', wrong, 'rules: []\ndefault: deny', /may be incomplete/);
test('two documents are refused', wrong, 'rules: []\ndefault: deny\n---\nrules: []\n', /more than one document/);
test('a repeated field is refused', wrong, 'rules: []\ndefault: allow\ndefault: deny\n', /default/);
test('an unknown field is refused with its place', wrong, ruleOf('namespace: [a]'), /^rules\[0\]: .*namespace/);
test('a wrong default is refused', wrong, 'rules: []\ndefault: maybe\n', /default: must be deny or allow/);
test('a command that does not exist is refused', wrong, ruleOf('commands: [instal]'), /rules\[0\]\.commands\[0\]/);
test('a rule without a name is refused', wrong, 'rules:\n  - { kinds: [A] }\ndefault: deny\n', /rules\[0\]\.name/);
test('an empty list is refused', wrong, ruleOf('images: []'), /must have an item/);
test('a wrong range is refused', wrong, ruleOf('versions: newest'), /rules\[0\]\.versions: improper constraint/);
test('a wrong time is refused', wrong, ruleOf("windows: [{ from: '24:00', to: '01:00' }]"), /from 00:00 to 23:59/);
test('a time that YAML reads as a number is refused', wrong, ruleOf('windows: [{ from: 600, to: 700 }]'), /from/);
test(
  'a wrong time zone is refused',
  wrong,
  ruleOf("windows: [{ from: '00:00', to: '01:00', timeZone: Mars/Base }]"),
  /not the name of a time zone/,
);
test(
  'limits of a rule that denies are refused',
  wrong,
  ruleOf('deny: closed, kinds: [A]'),
  /kinds would have no effect/,
);
test(
  'two rules with one name are refused',
  wrong,
  'rules:\n  - { name: a }\n  - { name: a }\ndefault: deny\n',
  /rules\[1\]\.name: another rule is named a/,
);
test('a name with a line break is refused', wrong, ruleOf('deny: "a\\nb"'), /rules\[0\]\.deny/);
test('a large file is refused', wrong, `#${' '.repeat(maxOwnerFileBytes)}\n${ruleOf('')}`, /more than \d+ bytes/);

test('the example policies can be read', async (t) => {
  const folder = new URL('../../deploy/policies/', import.meta.url);
  const files = await readdir(folder);
  t.true(files.length >= 3);
  for (const file of files) {
    const text = await readFile(new URL(file, folder), 'utf8');
    t.notThrows(() => readPolicy(text), file);
  }
});

test('a file is read for each command, and refuses all while it is wrong', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'policy-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const path = join(folder, 'policy.yaml');
  await writeFile(path, 'rules: []\ndefault: allow\n');
  const policy = await openPolicyFile(path, options);
  const decide = () => policy.decide(scope, 'begins');
  await t.notThrowsAsync(decide);
  await writeFile(path, 'rules: []\ndefault: deny\n');
  await t.throwsAsync(decide, { code: 'denied_by_policy' });
  await writeFile(path, 'rules: [\n');
  await t.throwsAsync(decide, { code: 'policy_invalid', message: /the policy file .* cannot be used: / });
  await rm(path);
  await t.throwsAsync(decide, { code: 'policy_invalid' });
  await writeFile(path, 'rules: []\ndefault: allow\n');
  await t.notThrowsAsync(decide);
});

test('an agent does not start with a wrong file', async (t) => {
  await t.throwsAsync(openPolicyFile('/nonexistent/policy.yaml', options), { code: 'policy_invalid' });
});
