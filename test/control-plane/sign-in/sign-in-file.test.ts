import { rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import test from 'ava';
import { openSignInFile } from '../../../src/control-plane/index.ts';
import { readSignInSettings } from '../../../src/control-plane/sign-in/sign-in-settings.ts';
import { commandTable } from '../../../src/protocol/commands/index.ts';
import { recordingLog } from '../../agent/support/log.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryFile } from '../support/file.ts';

const right = `issuer: https://login.example.com
clientId: helm-agent
url: https://hub.example.com/
groups:
  - group: platform
    roles:
      - rights: [admin]
`;

test('a sign-in file has defaults', (t) => {
  t.deepEqual(readSignInSettings(right, commandTable), {
    ...{ issuer: 'https://login.example.com', clientId: 'helm-agent', url: 'https://hub.example.com' },
    ...{ scopes: ['openid', 'email'], nameClaim: 'email', groupsClaim: 'groups', deviceSignIn: false },
    ...{ idle: 7_200_000, lifetime: 43_200_000 },
    groups: [{ group: 'platform', roles: [{ rights: ['admin'] }] }],
  });
});

const refuses = test.macro({
  title: (name) => `a sign-in file is refused: ${name ?? ''}`,
  exec(t, change: (text: string) => string, message: RegExp) {
    const error = t.throws(() => readSignInSettings(change(right), commandTable));
    t.regex(error.message, message);
    t.true(error.message.length < 2000);
    t.notRegex(error.message, /sentinel/);
  },
});
const add = (line: string) => (text: string) => `${text}${line}\n`;
const replace = (from: RegExp, to: string) => (text: string) => text.replace(from, to);
test('nothing', refuses, () => '', /it is not YAML/);
test('a list', refuses, () => '- a\n', /the file/);
test('no YAML', refuses, () => 'a: [sentinel', /it is not YAML/);
test('a tag', refuses, add('clientSecretFile: !!js/function sentinel'), /it is not YAML|clientSecretFile/);
test('a field that is not known', refuses, add('clientSecret: sentinel'), /the file has fields that are not known/);
test('a field twice', refuses, add('clientId: sentinel'), /it is not YAML: duplicated mapping key/);
test('a provider without encryption', refuses, replace(/https:\/\/login/, 'http://login'), /issuer .*https:\/\//);
test('an address without encryption', refuses, replace(/https:\/\/hub/, 'http://hub'), /url .*https:\/\//);
test('an address with a path', refuses, replace(/\.com\/\n/, '.com/sentinel\n'), /url must have no path/);
test('an address of another kind', refuses, replace(/https:\/\/hub.*/, 'javascript:sentinel'), /url/);
test('no groups', refuses, replace(/groups:[^]*/, 'groups: []\n'), /groups must have an item/);
test('an unknown right', refuses, replace(/admin/, 'sentinel'), /must have rights among/);
test('scopes without openid', refuses, add('scopes: [email]'), /scopes must include openid/);
test('a long time', refuses, add('lifetime: 1000h'), /lifetime must be a duration/);
test('a list of lists', refuses, () => '- '.repeat(20_000), /it is not YAML|the file/);
const aliases = Array.from({ length: 30 }, (_, index) => `a${index + 1}: &a${index + 1} [*a${index}, *a${index}]`);
test('aliases that grow', refuses, () => `a0: &a0 [b]\n${aliases.join('\n')}\n`, /./);

test('a changed file counts soon, and a wrong one changes nothing', async (t) => {
  const path = await temporaryFile(t);
  await t.throwsAsync(openSignInFile(path), { name: 'SignInFileError', message: /cannot use the sign-in file/ });
  await writeFile(path, right);
  const { log, lines } = recordingLog();
  const file = await openSignInFile(path, { log, intervalMs: 5 });
  t.teardown(() => file.close());
  let changes = 0;
  file.onChange(() => changes++);
  await writeFile(path, right.replace('admin', 'sentinel'));
  await eventually('the file is not readable', () => !file.isReadable());
  t.deepEqual(file.settings().groups[0]?.roles, [{ rights: ['admin'] }]);
  t.is(changes, 0);
  t.regex(lines.join(''), /the sign-in file is wrong; what it said before stays/);
  t.notRegex(lines.join(''), /sentinel/);
  await writeFile(path, right.replace('admin', 'read'));
  await eventually('the listener is called', () => changes > 0);
  t.true(file.isReadable());
  t.deepEqual(file.settings().groups[0]?.roles, [{ rights: ['read'] }]);
});

test('a file whose folder cannot be found for a while is readable when it is back', async (t) => {
  const path = await temporaryFile(t);
  await writeFile(path, right);
  const file = await openSignInFile(path, { intervalMs: 5 });
  t.teardown(() => file.close());
  const folder = dirname(path);
  await rename(folder, `${folder}-away`);
  await eventually('the file is not readable', () => !file.isReadable());
  await rename(`${folder}-away`, folder);
  await eventually('the file is readable', () => file.isReadable());
  t.deepEqual(file.settings().groups[0]?.roles, [{ rights: ['admin'] }]);
});

test('a file that is too large, and a folder, are refused', async (t) => {
  const path = await temporaryFile(t);
  await writeFile(path, '#'.repeat(300_000));
  await t.throwsAsync(openSignInFile(path), { message: /has more than 262144 bytes/ });
  await t.throwsAsync(openSignInFile('/'), { message: /it is not a file/ });
});
