import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import test from 'ava';
import { findRegistryCredentials } from '../../../src/source/configuration/registry-config.ts';

const host = 'team.azurecr.io';
const folder = await mkdtemp(join(tmpdir(), 'helm-agent-helpers-'));
test.after.always(() => rm(folder, { recursive: true }));
process.env['PATH'] = `${folder}${delimiter}${process.env['PATH'] ?? ''}`; // where helpers are looked for

async function credentialsIn(config: object) {
  const path = join(await mkdtemp(join(folder, 'config-')), 'config.json');
  await writeFile(path, JSON.stringify(config));
  return await findRegistryCredentials([path], host);
}

async function credentialsOfHelper(name: string, script: string) {
  await writeFile(join(folder, `docker-credential-${name}`), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return await credentialsIn({ credHelpers: { [host]: name } });
}

const auth = (login: string) => Buffer.from(login).toString('base64');
const none = { username: '', password: '' };

const gives = test.macro<[string, object, object | undefined]>({
  title: (_, what) => `the configuration of a registry may have ${what}`,
  exec: async (t, _, entry, expected) => t.deepEqual(await credentialsIn({ auths: { [host]: entry } }), expected),
});
test(gives, 'a user name and a password', { auth: auth('ada:secret') }, { username: 'ada', password: 'secret' });
test(gives, 'an identity token alone', { identitytoken: 'eyJ' }, { ...none, identityToken: 'eyJ' });
test(
  gives,
  'an identity token and a user name without a password',
  { auth: auth('0000:'), identitytoken: 'eyJ' },
  { username: '0000', password: '', identityToken: 'eyJ' },
);
test(gives, 'an identity token and no login', { auth: '', identitytoken: 'eyJ' }, { ...none, identityToken: 'eyJ' });
test(gives, 'a token of the registry', { registrytoken: 'abc' }, { ...none, token: 'abc' });
test(gives, 'empty tokens', { identitytoken: '', registrytoken: '' }, undefined);

test('the secret of a helper for the user <token> is an identity token', async (t) => {
  const answer = JSON.stringify({ ServerURL: host, Username: '<token>', Secret: 'eyJ' });
  t.deepEqual(await credentialsOfHelper('token', `echo '${answer}'`), { ...none, identityToken: 'eyJ' });
});

test('a helper may have a user name and a password', async (t) => {
  const answer = JSON.stringify({ Username: 'ada', Secret: 'secret' });
  const found = await credentialsOfHelper('user', `echo '${answer}'`);
  t.deepEqual(found, { username: 'ada', password: 'secret' });
});

test('a helper that fails has no credentials', async (t) => {
  t.is(await credentialsOfHelper('none', 'echo credentials not found; exit 1'), undefined);
});

test('a helper that prints without an end is ended, and is an error', async (t) => {
  const message = 'docker-credential-endless get failed: ERR_CHILD_PROCESS_STDIO_MAXBUFFER';
  await t.throwsAsync(credentialsOfHelper('endless', 'trap "" TERM; exec yes secret'), { message });
});

test('an error about what a helper prints does not quote it', async (t) => {
  const message = 'docker-credential-text get did not print a user name and a secret in JSON';
  await t.throwsAsync(credentialsOfHelper('text', 'echo secret'), { message });
});

test('a helper that is not there is an error that names it', async (t) => {
  const error = await t.throwsAsync(credentialsIn({ credsStore: 'missing' }));
  t.is(error.message, 'docker-credential-missing get failed: ENOENT');
});
