import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { supportBundle, type SupportBundleOptions } from '../../../src/agent/support/support-bundle.ts';
import { redactTexts } from '../../../src/redaction/redact-texts.ts';

const collect = (sources: SupportBundleOptions['sources'], options: Partial<SupportBundleOptions> = {}) =>
  supportBundle({
    sources,
    secrets: {
      ofProcess: () => Promise.resolve(['sentinel-own']),
      ofNamespace: () => Promise.resolve({ texts: ['sentinel-ns'], unread: undefined }),
    },
    redact: (texts, secrets) => Promise.resolve(redactTexts(texts, secrets)),
    signal: new AbortController().signal,
    ...options,
  });

const source = (read: (signal: AbortSignal) => unknown, name = 'a.txt') => ({ name, about: 'a', read });

test('secrets of the process, of the namespace, and those with a form of their own are removed', async (t) => {
  const secrets = [
    'sentinel-own',
    'sentinel-ns',
    'Authorization: Bearer sentinel-bearer',
    'https://user:sentinel-url@example',
    '{"password":"sentinel-json"}',
    'password = sentinel-text',
    'api-key: "sentinel-key"',
    'clientSecret=sentinel-query&x=1',
    'eyJhbGciOiJIUzI1NiJ9.eyJzZW50aW5lbCI6MX0.sentinel-jwt',
  ];
  const { files, missing } = await collect([
    source(() => secrets.join('\n')),
    source(() => secrets.map((secret) => ({ secret })), 'b.jsonl'),
    source(() => Promise.reject(new Error(`refused: ${secrets.join(' ')}`)), 'c.json'),
  ]);
  t.is(files.length, 2);
  t.notRegex(JSON.stringify({ files, missing }), /sentinel/);
});

test('a source that fails or hangs is missing, and the others are there', async (t) => {
  const { files, missing } = await collect(
    [
      source(() => {
        throw new Error('no metrics');
      }, 'a.txt'),
      source((signal) => sleep(60_000, 'late', { signal }), 'b.txt'),
      source(() => new Promise(() => undefined), 'c.txt'),
      source(() => ({ ok: true }), 'd.json'),
    ],
    {
      timeLimitMs: 100,
      secrets: {
        ofProcess: () => Promise.resolve(['sentinel']),
        ofNamespace: () => Promise.reject(new Error('cannot reach the API server')),
      },
    },
  );
  t.deepEqual(
    files.map(({ name, text }) => [name, text]),
    [['d.json', '{\n  "ok": true\n}\n']],
  );
  if (missing === undefined) throw new Error('some are missing');
  t.is(missing.length, 4);
  t.regex(missing[0] ?? '', /^Secrets of the namespace, .*cannot reach the API server$/);
  t.is(missing[1], 'a.txt: no metrics');
  t.regex(missing[3] ?? '', /^c\.txt: it took more than 0\.1 s$/);
});

test('without the secrets of the process there is no bundle', async (t) => {
  const secrets = {
    ofProcess: () => Promise.reject(new Error('cannot read')),
    ofNamespace: () => Promise.resolve({ texts: [], unread: undefined }),
  };
  await t.throwsAsync(collect([source(() => 'a')], { secrets }), { message: 'cannot read' });
});

test('a cancelled bundle ends', async (t) => {
  const aborted = AbortSignal.abort(new Error('cancelled'));
  await t.throwsAsync(collect([source(() => 'a')], { signal: aborted }), { message: 'cancelled' });
});

test('long texts and lines are cut at lines, and all files fit in a packet', async (t) => {
  const hostile = '\u0000'.repeat(10_000);
  const sources = Array.from({ length: 12 }, (_, index) =>
    source(() => `first\n${`${hostile}\n`.repeat(1000)}last`, `file-${'abcdefghijkl'[index] ?? ''}.txt`),
  );
  const long = source(() => 'x'.repeat(100_000), 'long.txt');
  const start = performance.now();
  const bundle = await collect([...sources, long]);
  t.true(performance.now() - start < 5000);
  t.true(Buffer.byteLength(JSON.stringify(JSON.stringify(bundle))) < 8 * 1024 * 1024);
  const [first] = bundle.files;
  t.regex(first?.text ?? '', /^\(\d+ characters are left out\)\n\u0000/);
  t.true(first?.text.endsWith('\nlast'));
  t.true(bundle.files.some(({ text }) => text.includes('the bundle would be too large')));
});

test('text that grows by its replacements is bounded', async (t) => {
  const { files } = await collect([source(() => 'token=a '.repeat(20_000))]);
  t.true((files[0]?.text.length ?? 0) < 1024 * 1024);
});

test('patterns of secrets take linear time', async (t) => {
  const hostile = [
    'token'.repeat(30_000),
    `password${' '.repeat(150_000)}`,
    'secret"'.repeat(20_000),
    ':'.repeat(150_000),
  ];
  const start = process.cpuUsage();
  await collect(hostile.map((text) => source(() => text)));
  t.true(process.cpuUsage(start).user < 2_000_000);
});
