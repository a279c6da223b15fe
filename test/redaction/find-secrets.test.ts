import test from 'ava';
import type { KubeObject } from '../../src/objects/object.ts';
import { findSecrets } from '../../src/redaction/find-secrets.ts';
import { redactTexts } from '../../src/redaction/redact-texts.ts';

function secretOf(stringData: Record<string, string>): KubeObject {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'db' }, stringData };
}

test('finds the Secrets that pods use, in the namespace of the pod', (t) => {
  const spec = {
    imagePullSecrets: [{ name: 'registry' }],
    volumes: [
      { name: 'a', secret: { secretName: 'volume' } },
      { name: 'b', projected: { sources: [{ secret: { name: 'projected' } }] } },
    ],
    initContainers: [{ envFrom: [{ secretRef: { name: 'all' } }] }],
    containers: [{ env: [{ name: 'X', valueFrom: { secretKeyRef: { name: 'one', key: 'x' } } }] }],
  };
  const pod: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'other' }, spec };
  const job: KubeObject = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'j' },
    spec: { template: { spec } },
  };
  const { references } = findSecrets([pod, job], 'shop');
  const names = ['one', 'all', 'volume', 'projected', 'registry'];
  t.deepEqual(
    references.map(({ namespace, name }) => `${namespace ?? ''}/${name}`),
    [...names.map((name) => `other/${name}`), ...names.map((name) => `shop/${name}`)],
  );
});

test('keeps a bounded number of secrets, and the short ones first', (t) => {
  const lines = Array.from({ length: 200_000 }, (_, i) => String(100_000 + i)).join('\n');
  const { texts } = findSecrets([secretOf({ lines, password: 'hunter2' })], 'shop');
  t.true(texts.length <= 1000);
  t.true(texts.includes('hunter2'));
  t.true(texts.reduce((sum, { length }) => sum + length, 0) <= 128 * 1024);
});

test('finds the parts of a secret that is longer than a log', (t) => {
  const long = Array.from({ length: 5000 }, (_, i) => i.toString(36)).join('-');
  const { texts } = findSecrets([secretOf({ long })], 'shop');
  const [shown = ''] = redactTexts([`key ${long.slice(500, 8000)} end`], texts);
  t.true(shown.length < 2100, String(shown.length));
  t.true(shown.endsWith(' end'));
});

const password = 'p+s/w?rd "ü"';
const forms: Readonly<Record<string, (value: string) => string>> = {
  'a URL': (value) => `${encodeURIComponent(value)}&x=`,
  JSON: (value) => JSON.stringify({ value }),
  base64: (value) => Buffer.from(value).toString('base64'),
  'base64 after one byte': (value) => Buffer.from(`:${value}:end`).toString('base64'),
  'base64 after two bytes': (value) => Buffer.from(`a:${value}:end`).toString('base64'),
  'base64 after three bytes': (value) => Buffer.from(`ab:${value}:end`).toString('base64'),
  'base64url after one byte': (value) => Buffer.from(`:${value}?>~:end`).toString('base64url'),
};
for (const [form, write] of Object.entries(forms)) {
  for (const [kind, value] of Object.entries({ 'a secret': password, 'a trimmed secret': `${password}\n` })) {
    test(`finds ${kind} in ${form}`, (t) => {
      const { texts } = findSecrets([secretOf({ password: value })], 'shop');
      const [shown = ''] = redactTexts([write(password)], texts);
      t.true(shown.includes('***'), shown);
      t.false(shown.includes(write(password).slice(8, 16)), shown);
    });
  }
}

test('finds a secret with a newline at its end in base64 as a whole', (t) => {
  const { texts } = findSecrets([secretOf({ password: `${password}\n` })], 'shop');
  t.deepEqual(redactTexts([Buffer.from(`${password}\n`).toString('base64')], texts), ['***']);
});

test('keeps names of objects that are also secrets, with and without a newline at the end', (t) => {
  const database: KubeObject = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'database' } };
  const { texts } = findSecrets([database, secretOf({ host: 'database', name: 'namespace\n' })], 'namespace');
  t.deepEqual(redactTexts(['database in namespace'], texts), ['database in namespace']);
});

const special = "a&b<c>d\u2028 e!f'g(h)i~j*k";
const written: Readonly<Record<string, string>> = {
  'JSON of Go': String.raw`a\u0026b\u003cc\u003ed\u2028 e!f'g(h)i~j*k`,
  'a URL of encodeURIComponent': "a%26b%3Cc%3Ed%E2%80%A8%20e!f'g(h)i~j*k",
  'a strict URL': 'a%26b%3Cc%3Ed%E2%80%A8%20e%21f%27g%28h%29i~j%2Ak',
  'a query of Go': 'a%26b%3Cc%3Ed%E2%80%A8+e%21f%27g%28h%29i~j%2Ak',
  'a form of URLSearchParams': 'a%26b%3Cc%3Ed%E2%80%A8+e%21f%27g%28h%29i%7Ej*k',
};
for (const [form, text] of Object.entries(written)) {
  test(`finds a secret with special characters in ${form}`, (t) => {
    const { texts } = findSecrets([secretOf({ special })], 'shop');
    t.deepEqual(redactTexts([text], texts), ['***']);
  });
}
