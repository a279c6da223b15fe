// Makes the keys, archives and signatures in test/cli/helm/fixtures/signatures/, and records what
// helm prints for them, for the test test/cli/helm/signatures.test.ts. Needs gpg.
// Usage: node tools/record-helm-signatures.ts PATH-OF-HELM
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixtureFolder, linesAboutSignatures } from '../test/cli/helm/support/signature-lines.ts';
import { recordLines } from './helm-command-lines.ts';

const [helm = '/usr/local/bin/helm'] = process.argv.slice(2);
const temporary = mkdtempSync(join(tmpdir(), 'helm-signatures-'));
const home = join(temporary, 'gnupg');
const fixture = (name: string) => join(fixtureFolder, name);

/** Runs gpg at a time that is past for tests and for helm. */
function gpg(args: readonly string[], input = ''): Buffer {
  const quiet = ['--batch', '--quiet', '--yes', '--no-tty', '--pinentry-mode', 'loopback'];
  const time = ['--faked-system-time', '20200101T000000!'];
  return execFileSync('gpg', ['--homedir', home, ...quiet, ...time, ...args], {
    input,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
}

interface KeySettings {
  algorithm?: string;
  usage?: string;
  expires?: string;
  passphrase?: string;
}

function makeKey(
  name: string,
  { algorithm = 'ed25519', usage = 'sign', expires = 'never', passphrase = '' }: KeySettings = {},
): string {
  const user = `helm-agent ${name} <${name}@example.com>`;
  gpg(['--passphrase', passphrase, '--quick-generate-key', user, algorithm, usage, expires]);
  return fingerprint(name);
}

function fingerprint(name: string): string {
  const list = gpg(['--list-keys', '--with-colons', `${name}@example.com`]).toString();
  return /^fpr:+([0-9A-F]+):/m.exec(list)?.[1] ?? '';
}

/** Writes a copy of the archive, and a provenance file as of helm, which a key has signed. */
function sign(name: string, key: string, change = (text: string) => text, options: readonly string[] = []): void {
  const archive = readFileSync(fixture('web-1.0.0.tgz'));
  const digest = createHash('sha256').update(archive).digest('hex');
  const text = `apiVersion: v2\nname: web\nversion: 1.0.0\n\n...\nfiles:\n  ${name}.tgz: sha256:${digest}\n`;
  writeFileSync(fixture(`${name}.tgz`), archive);
  const args = ['--passphrase', '', '--local-user', `${key}@example.com`, ...options, '--clearsign'];
  writeFileSync(fixture(`${name}.tgz.prov`), gpg(args, change(text)));
}

/** Copies a signed archive, and its provenance file with a change. */
function forge(name: string, change: (text: string) => string): void {
  copyFileSync(fixture('test.tgz'), fixture(`${name}.tgz`));
  writeFileSync(fixture(`${name}.tgz.prov`), change(readFileSync(fixture('test.tgz.prov'), 'utf8')));
}

try {
  rmSync(fixtureFolder, { recursive: true, force: true });
  mkdirSync(fixtureFolder, { recursive: true });
  mkdirSync(home, { mode: 0o700 });
  makeKey('test');
  makeKey('rsa', { algorithm: 'rsa2048' });
  makeKey('expired', { expires: '1y' });
  makeKey('certifies', { usage: 'cert' });
  gpg(['--passphrase', '', '--quick-add-key', makeKey('subkey', { usage: 'cert' }), 'ed25519', 'sign', 'never']);
  gpg(['--quick-add-uid', makeKey('users'), 'helm-agent users too <too@example.com>']);
  const revoked = makeKey('revoked');
  makeKey('locked', { passphrase: 'secret' });
  makeKey('unknown');

  const chart = join(temporary, 'web');
  mkdirSync(chart);
  writeFileSync(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: web\nversion: 1.0.0\ndescription: é - ü\n');
  const secret = ['--passphrase', 'secret', '--export-secret-keys', 'test@example.com', 'locked@example.com'];
  writeFileSync(fixture('secret.gpg'), gpg([...secret, 'rsa@example.com']));
  const signing = ['--sign', '--key', 'test@example.com', '--keyring', fixture('secret.gpg')];
  execFileSync(helm, ['package', chart, '-d', fixtureFolder, ...signing]);
  for (const name of ['test', 'rsa', 'expired', 'subkey', 'users', 'revoked', 'unknown']) sign(name, name);
  // gpg does not sign with a key that only certifies, but helm does
  const certifying = join(temporary, 'certifying.gpg');
  writeFileSync(certifying, gpg(['--passphrase', '', '--export-secret-keys', 'certifies@example.com']));
  const keyOptions = ['--sign', '--key', 'certifies', '--keyring', certifying];
  execFileSync(helm, ['package', chart, '--version', '2.0.0', '-d', fixtureFolder, ...keyOptions]);
  const weak = ['--allow-weak-digest-algos', '--digest-algo'];
  sign('sha1', 'rsa', undefined, [...weak, 'SHA1']);
  sign('md5', 'rsa', undefined, [...weak, 'MD5']);
  sign('short-lived', 'rsa', undefined, ['--default-sig-expire', '1d']);
  sign('notation', 'rsa', undefined, ['--sig-notation', '!a@example.com=b']);
  sign('other-digest', 'test', (text) => text.replace(/sha256:.{4}/, 'sha256:0000'));
  sign('other-file', 'test', (text) => text.replace('other-file.tgz', 'web.tgz'));
  sign('one-part', 'test', (text) => text.replace('\n...\n', '\n'));
  sign('no-map', 'test', () => 'name: web\n...\nfiles: [a]\n');
  forge('changed', (text) => text.replace('name: web', 'name: wob'));
  forge('no-message', () => 'name: web\n');
  forge('cut', (text) => text.slice(0, -40));
  forge('header', (text) => text.replace(/^Hash: .*/m, '$&\nOther: a'));
  copyFileSync(fixture('test.tgz'), fixture('unsigned.tgz'));
  copyFileSync(fixture('test.tgz.prov'), fixture('test.tar.prov'));
  copyFileSync(fixture('test.tgz'), fixture('test.tar'));

  const certificate = readFileSync(join(home, `openpgp-revocs.d/${revoked}.rev`), 'utf8');
  gpg(['--import'], certificate.replace(':-----', '-----'));
  gpg(['--delete-secret-and-public-key', fingerprint('unknown')]);
  writeFileSync(fixture('public.gpg'), gpg(['--export']));
  writeFileSync(fixture('public.asc'), gpg(['--export', '--armor', 'test@example.com']));
  writeFileSync(fixture('rsa.gpg'), gpg(['--export', 'rsa@example.com']));
  copyFileSync(join(home, 'pubring.kbx'), fixture('pubring.kbx'));

  const output = join(temporary, 'output');
  const lines = linesAboutSignatures.map((line) => line.map((word) => word.replaceAll('OUTPUT', output)));
  const records = recordLines(helm, lines).map((record, i) => {
    const shown = (text: string) => text.replaceAll(output, 'OUTPUT');
    const { stdout, stderr, code } = record;
    return JSON.stringify({ args: linesAboutSignatures[i], stdout: shown(stdout), stderr: shown(stderr), code });
  });
  writeFileSync(fixture('lines.json'), `[\n${records.join(',\n')}\n]\n`);
  process.stdout.write(`${records.length} command lines\n`);
} finally {
  execFileSync('gpgconf', ['--homedir', home, '--kill', 'all']);
  rmSync(temporary, { recursive: true });
}
