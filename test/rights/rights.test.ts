import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { ServiceAccount } from '../../src/objects/service-account.ts';
import { commandTable } from '../../src/protocol/commands/index.ts';
import { matchesPattern } from '../../src/protocol/pattern.ts';
import type { CommandScope } from '../../src/rights/command-selector.ts';
import { maxOwnerFileBytes } from '../../src/rights/owner-file.ts';
import { accountOf, requireNamed } from '../../src/rights/rights.ts';
import { openRightsFile } from '../../src/rights/rights-file.ts';
import { readRights } from '../../src/rights/rules.ts';

const scope = ({ type = 'install_release', ...changes }: Partial<CommandScope> = {}): CommandScope => ({
  ...{ type, right: commandTable.find(type)?.definition.right ?? 'admin' },
  ...{ namespace: 'shop', releaseName: 'web', sentBy: undefined },
  ...changes,
});

const rules = readRights(`
rules:
  - { namespaces: [kube-*], account: none }
  - { namespaces: [shop], releases: [db-*], account: platform/database }
  - { namespaces: [shop, shop-*], commands: [deploy], callers: ['ci@*'], account: deployer }
  - { namespaces: [shop, shop-*], commands: [read, test_release], account: reader }
  - { commands: [list_releases], account: platform/lister }
  - { namespaces: ['*'], releases: ['*'], commands: [get_release], account: platform/anywhere }
default: none
`);

const matching = test.macro((t: ExecutionContext, changes: Partial<CommandScope>, expected: string | undefined) => {
  if (expected === undefined) {
    const error = t.throws(() => accountOf(rules, scope(changes)));
    t.is((error as Error & { code?: string }).code, 'forbidden', error.message);
  } else t.is(accountOf(rules, scope(changes)), expected as never);
});

test('the first rule that matches counts', matching, { releaseName: 'db-1', sentBy: 'ci@x' }, 'platform/database');
test('a rule with callers matches one of them', matching, { sentBy: 'ci@example.com' }, 'shop/deployer');
test('a rule with callers does not match a command without one', matching, {}, undefined);
test('a rule with callers does not match another one', matching, { sentBy: 'x-ci@example.com' }, undefined);
test(
  'a name is that of an account in the namespace of the release',
  matching,
  { namespace: 'shop-1', sentBy: 'ci@' },
  'shop-1/deployer',
);
test('a rule names the right that a command needs', matching, { type: 'release_status' }, 'shop/reader');
test('a rule names the type of a command', matching, { type: 'test_release' }, 'shop/reader');
test('a rule with the account none refuses', matching, { namespace: 'kube-system', type: 'get_release' }, undefined);
test('the default counts for a command that no rule matches', matching, { namespace: 'shopping' }, undefined);
test(
  'a rule without namespaces matches a command on all',
  matching,
  { type: 'list_releases', namespace: undefined, releaseName: undefined },
  'platform/lister',
);
test(
  'a star matches a command on all namespaces',
  matching,
  { type: 'get_release', namespace: undefined, releaseName: undefined },
  'platform/anywhere',
);
test(
  'a command names no account by its namespace',
  matching,
  { namespace: 'shop/../kube-system', sentBy: 'ci@' },
  undefined,
);

test('an account in the namespace of the release is refused for a command on all namespaces', (t) => {
  const all = readRights('rules: []\ndefault: lister\n');
  const error = t.throws(() => accountOf(all, scope({ type: 'list_releases', namespace: undefined })));
  t.regex(error.message, /the default of the rights file names the service account lister of the namespace/);
});

test('an account remains allowed as long as a rule for the command names it, from any sender', (t) => {
  t.notThrows(() => requireNamed(rules, 'shop/deployer', scope()));
  t.notThrows(() => requireNamed(rules, 'platform/database', scope({ releaseName: 'db-1' })));
  const refuses = (account: string, changes: Partial<CommandScope>) => {
    t.throws(() => requireNamed(rules, account as ServiceAccount, scope(changes)), { code: 'forbidden' }, account);
  };
  refuses('other/deployer', {});
  refuses('platform/database', {});
  refuses('platform/anywhere', {});
  refuses('shop/reader', {});
  refuses('kube-system/deployer', { namespace: 'kube-system' });
  refuses('none', {});
});

const refused = test.macro((t: ExecutionContext, text: string, message: RegExp) => {
  t.throws(() => readRights(text), { message });
});
const ruleOf = (rule: string) => `rules: [${rule}]\ndefault: none\n`;

test('a file without content is refused', refused, '', /must have the fields/);
test('a list is refused', refused, '- a\n', /must have the fields/);
test(
  'an unknown field of a rule is refused',
  refused,
  ruleOf('{ account: a, namespace: b }'),
  /^rules\[0\]: Unrecog.*namespace/,
);
test('a rule without account is refused', refused, ruleOf('{ namespaces: [a] }'), /^rules\[0\]\.account/);
test(
  'an unknown command is refused',
  refused,
  ruleOf('{ account: a, commands: [instal] }'),
  /^rules\[0\]\.commands\[0\]: must be one of read, deploy/,
);
test(
  'an empty list is refused',
  refused,
  ruleOf('{ account: a, namespaces: [] }'),
  /^rules\[0\]\.namespaces: must have an item/,
);
test(
  'a line break in an account is refused',
  refused,
  ruleOf(String.raw`{ account: "shop/a\r\nImpersonate-Group: system:masters" }`),
  /^rules\[0\]\.account/,
);
test('a colon in an account is refused', refused, ruleOf('{ account: "shop/a:b" }'), /^rules\[0\]\.account/);
test('a user is no account', refused, ruleOf('{ account: "system:admin" }'), /^rules\[0\]\.account/);
test('a star in an account is refused', refused, ruleOf('{ account: "shop/*" }'), /^rules\[0\]\.account/);
test('an account with three parts is refused', refused, ruleOf('{ account: a/b/c }'), /NAMESPACE\/NAME/);
test('an empty namespace of an account is refused', refused, ruleOf('{ account: /b }'), /^rules\[0\]\.account/);
test(
  'a direction mark in a pattern is refused',
  refused,
  ruleOf(String.raw`{ account: a, callers: ["a\u202eb"] }`),
  /^rules\[0\]\.callers\[0\]/,
);
test('a number as account is refused', refused, ruleOf('{ account: 7 }'), /^rules\[0\]\.account/);
test('an alias is refused', refused, 'rules: [&a { account: b }, *a]\ndefault: none\n', /alias|excessive/i);
test('two documents are refused', refused, `${ruleOf('{ account: a }')}---\ndefault: x/y\n`, /more than one document/);
test('a field that is given twice is refused', refused, `rules: []\nrules: []\ndefault: none\n`, /already|duplicate/i);
test(
  'a pattern of 254 characters is refused',
  refused,
  ruleOf(`{ account: a, callers: [${'x'.repeat(254)}] }`),
  /^rules\[0\]\.callers\[0\]/,
);
test('1,001 rules are refused', refused, ruleOf(Array(1001).fill('{ account: a }').join()), /^rules: /);
test(
  'a file that is too long is refused',
  refused,
  `#${' '.repeat(maxOwnerFileBytes)}\n${ruleOf('')}`,
  /more than 262144 bytes/,
);

test('each beginning of a file is refused', (t) => {
  const text = 'rules:\n  - account: deployer\n    namespaces: [shop]\n    callers: [ci]\ndefault: none\n';
  readRights(text);
  for (let length = 0; length < text.length; length++)
    t.throws(() => readRights(text.slice(0, length)), undefined, String(length));
});

test('the example of the documentation can be used', (t) => {
  const text = readFileSync(new URL('../../docs/permissions.md', import.meta.url), 'utf8');
  const example = /```yaml\n(rules:[^`]*)```/.exec(text)?.[1] ?? '';
  const documented = readRights(example);
  t.is(accountOf(documented, scope({ sentBy: 'ci@example.com' })), 'shop/deployer');
  t.is(accountOf(documented, scope({ type: 'list_releases', namespace: undefined })), 'platform/reader');
  t.throws(() => accountOf(documented, scope({ type: 'get_release', namespace: 'kube-system' })), {
    code: 'forbidden',
  });
});

test('patterns match as a whole, and each character but the star is itself', (t) => {
  for (const [pattern, text] of [
    ['shop', 'shop'],
    ['shop-*', 'shop-'],
    ['*', ''],
    ['*', 'x'],
    ['a*b*c', 'abbc'],
    ['*-x-*', 'a-x-b'],
    ['a*a', 'aa'],
  ] as const)
    t.true(matchesPattern(pattern, text), `${pattern} ${text}`);
  for (const [pattern, text] of [
    ['shop', 'shop-1'],
    ['shop', 'a-shop'],
    ['shop-*', 'shop'],
    ['a*a', 'a'],
    ['a.c', 'abc'],
    ['[a]', 'a'],
    ['a*b*c', 'acb'],
    ['', 'x'],
    ['*a*a', 'a'],
  ] as const)
    t.false(matchesPattern(pattern, text), `${pattern} ${text}`);
});

test('a thousand rules of a hundred patterns against long names take milliseconds', (t) => {
  const stars = `${'*a'.repeat(100)}b`;
  const all = {
    rules: Array.from({ length: 1000 }, () => ({ callers: Array(100).fill(stars) as string[], account: 'a/b' })),
    default: 'none',
  };
  const start = performance.now();
  t.throws(() => accountOf(all, scope({ sentBy: 'a'.repeat(256) })));
  t.true(performance.now() - start < 5000);
});

async function folderOf(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rights-'));
  t.teardown(() => rm(folder, { recursive: true }));
  return folder;
}

test('a change of the file counts for the next command, and a wrong one refuses it', async (t) => {
  const file = join(await folderOf(t), 'rights.yaml');
  await writeFile(file, 'rules: []\ndefault: shop/one\n');
  const rights = await openRightsFile(file);
  t.is(await rights.accountFor(scope()), 'shop/one');
  await writeFile(file, 'rules: []\ndefault: shop/two\n');
  t.is(await rights.accountFor(scope()), 'shop/two');
  for (const wrong of ['', 'rules: []\ndefault: shop/t', 'rules: [}\n', '\u0000', 'rules: []\ndefault: ""\n']) {
    await writeFile(file, wrong);
    await t.throwsAsync(
      rights.accountFor(scope()),
      { code: 'rights_file_invalid', message: /rights\.yaml cannot be used/ },
      wrong,
    );
  }
  await rm(file);
  await t.throwsAsync(rights.accountFor(scope()), { code: 'rights_file_invalid', message: /no such file/ });
  await writeFile(file, 'rules: []\ndefault: shop/three\n');
  t.is(await rights.accountFor(scope()), 'shop/three');
});

test('a ConfigMap that is replaced by its symbolic link is read whole', async (t) => {
  const folder = await folderOf(t);
  for (const name of ['one', 'two']) await writeFile(join(folder, name), `rules: []\ndefault: shop/${name}\n`);
  const link = join(folder, 'rights.yaml');
  await symlink('one', link);
  const rights = await openRightsFile(link);
  t.is(await rights.accountFor(scope()), 'shop/one');
  await symlink('two', join(folder, 'next'));
  await rename(join(folder, 'next'), link);
  t.is(await rights.accountFor(scope()), 'shop/two');
});

test('a pipe, a device and a folder are refused, and are not waited for', async (t) => {
  const folder = await folderOf(t);
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  for (const path of [pipe, '/dev/zero', folder]) {
    await t.throwsAsync(openRightsFile(path), { code: 'rights_file_invalid' }, path);
  }
});

test('commands get their accounts in the order of their arrival', async (t) => {
  const file = join(await folderOf(t), 'rights.yaml');
  await writeFile(file, 'rules: []\ndefault: deployer\n');
  const rights = await openRightsFile(file);
  const order: number[] = [];
  const names = Array.from({ length: 50 }, (_, index) => index);
  await Promise.all(
    names.map(async (index) => {
      await rights.accountFor(scope({ namespace: `n${index}` }));
      order.push(index);
    }),
  );
  t.deepEqual(order, names);
});

test('a continued command keeps its account, also if other rules match it now', async (t) => {
  const file = join(await folderOf(t), 'rights.yaml');
  await writeFile(file, 'rules: [{ callers: [ci], account: old }]\ndefault: new\n');
  const rights = await openRightsFile(file);
  t.is(await rights.accountToContinue('shop/old', scope()), 'shop/old');
  t.is(await rights.accountToContinue(undefined, scope()), 'shop/new');
  await t.throwsAsync(rights.accountToContinue('shop/gone', scope()), { code: 'forbidden', message: /shop\/gone/ });
});
