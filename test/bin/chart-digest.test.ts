import { createHash } from 'node:crypto';
import test from 'ava';
import type { SendRequest } from '../../src/control-plane/index.ts';
import { packedApp, serveApp } from './support/archive.ts';
import { agentId, failureOf, startWorld } from './support/world.ts';

const world = startWorld();
test.after.always(async () => (await world).close());

const archive = await packedApp({ 'map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: app\n' });
const digest = createHash('sha256').update(archive).digest('hex');

const commands = test.macro({
  title: (_, type: string, _fields?: object) => `${type} checks the digest of a chart that it downloads`,
  async exec(t, type: string, fields?: object) {
    const { plane } = await world;
    const { url } = await serveApp(t, archive);
    const chart = { releaseName: 'app', namespace: 'digests', repoUrl: url, chartName: 'app', ...fields };
    const run = async (chartDigest: string) => {
      const request = { type, payload: { ...chart, chartDigest } } as SendRequest; // the table has the types
      const result = await plane.send(agentId, request).result;
      return result.ok ? 'ok' : result.error.code;
    };
    t.is(await run('0'.repeat(64)), 'digest_mismatch');
    t.is(await run(`sha256:${digest}`), 'ok');
  },
});
test.serial(commands, 'install_release');
test.serial(commands, 'upgrade_release');
test.serial(commands, 'template_release');
test.serial(commands, 'diff_release');
test.serial(commands, 'plan_release', { action: 'upgrade' });

for (const text of ['0', `sha256:${'0'.repeat(63)}`, `${'0'.repeat(64)}0`, `sha512:${'0'.repeat(64)}`]) {
  test(`a digest "${text.slice(0, 12)}" of ${text.length} characters is refused before anything is downloaded`, async (t) => {
    const { plane } = await world;
    const payload = { releaseName: 'app', chartName: 'https://charts.example/app.tgz', chartDigest: text };
    const { code, message } = await failureOf(plane.send(agentId, { type: 'install_release', payload }));
    t.is(code, 'bad_payload');
    t.regex(message, /chartDigest must be a SHA-256: 64 hex digits/);
  });
}
