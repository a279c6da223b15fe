import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { UploadedCharts } from '../../../src/agent/charts/uploaded-charts.ts';
import { TunnelSource } from '../../../src/agent/connection/tunnel-source.ts';
import { createSqliteStore } from '../../../src/control-plane/index.ts';
import { KeptFiles } from '../../../src/source/disk/kept-files.ts';
import { testAgent } from '../../agent/support/agent.ts';
import { closing } from '../../support/closing.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryFile } from '../support/file.ts';
import { testPlane } from '../support/plane.ts';
import { rawAgent } from '../support/raw-agent.ts';

const archive = Buffer.from('the archive of a chart');
const digest = `sha256:${createHash('sha256').update(archive).digest('hex')}`;
const parameters = { releaseName: 'web', chartName: 'web', chartUpload: digest };

const put = (url: string, named: string, body: Buffer, headers = {}) =>
  fetch(`${url}/api/charts/${named}`, { method: 'PUT', body: Uint8Array.from(body), headers });
const head = async (url: string) => (await fetch(`${url}/api/charts/${digest}`, { method: 'HEAD' })).status;

/** Starts an agent whose test loads charts. */
async function chartAgent(t: ExecutionContext, controlPlaneUrl: string) {
  const tunnels = new TunnelSource();
  const files = new KeptFiles();
  const uploads = new UploadedCharts({ tunnels, files });
  t.teardown(() => files.clear());
  const { puppets } = await testAgent(t, { controlPlaneUrl, tunnels });
  const load = async () => uploads.load(digest, new AbortController().signal);
  return { puppets, load };
}

test('the API takes a chart by its digest, and says whether it has it', async (t) => {
  const { url } = await testPlane(t);
  t.is(await head(url), 404);
  const created = await put(url, digest, archive);
  t.deepEqual([created.status, await created.json()], [201, { digest }]);
  t.is(await head(url), 200);
  t.is((await put(url, digest, archive)).status, 200);
});

const refuses = test.macro(async (t, named: string, status: number, code: string) => {
  const { url } = await testPlane(t);
  const response = await put(url, named, archive);
  const { error } = (await response.json()) as { error: { code: string } };
  t.deepEqual([response.status, error.code], [status, code]);
});

test('the API refuses a chart with another digest', refuses, `sha256:${'0'.repeat(64)}`, 400, 'digest_mismatch');
test('the API refuses a digest of another kind', refuses, `md5:${'0'.repeat(32)}`, 400, 'bad_request');
test('the API refuses a path as a digest', refuses, '..%2F..%2Fplane.db', 400, 'bad_request');

test('an upload that dribbles gets 408, its connection ends, and nothing of it stays', async (t) => {
  const folder = dirname(await temporaryFile(t, 'charts/x'));
  const { port, lines } = await testPlane(t, { chartFolder: folder, limits: { uploadWaitMs: 200 } });
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.write(`PUT /api/charts/${digest} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90000000\r\n\r\n`);
  const dribble = setInterval(() => socket.write('a'), 5);
  await closing(socket).finally(() => clearInterval(dribble));
  const [head = '', body = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n');
  t.regex(head, /^HTTP\/1\.1 408 /);
  t.like(JSON.parse(body), { error: { code: 'timeout' } });
  t.deepEqual(await readdir(folder), []);
  t.false(lines.some((line) => line.includes('a request failed')));
});

test('the API takes charts from users only', async (t) => {
  const { url } = await testPlane(t, { apiToken: 'secret' });
  t.is((await put(url, digest, archive)).status, 401);
  t.is((await put(url, digest, archive, { authorization: 'Bearer secret' })).status, 201);
});

test('a command for a chart that is not uploaded is refused', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  await rawAgent(agentUrl);
  t.throws(() => plane.install('edge-1', parameters), { code: 'chart_not_found' });
});

test('an agent that does not know streams gets neither the command nor a binary frame', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  const { packets } = await rawAgent(agentUrl);
  t.is(await plane.uploadChart(archive), digest);
  const result = await plane.install('edge-1', parameters).result;
  t.like(result, { ok: false, error: { code: 'unsupported' } });
  t.deepEqual(
    packets.map(({ type }) => type),
    ['welcome'],
  );
  t.false('streams' in (JSON.parse(packets[0]?.payload ?? '') as object));
});

test('an agent gets a chart only while it has a command that needs it', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  const { puppets, load } = await chartAgent(t, agentUrl);
  await plane.waitForAgent('edge-1');
  await plane.uploadChart(archive);
  await t.throwsAsync(load(), { code: 'chart_not_found' });
  const command = plane.install('edge-1', parameters);
  const call = await puppets.call(0);
  t.true(archive.equals(await load()));
  call.succeed();
  t.like(await command.result, { ok: true });
});

test('a chart survives a restart of the control plane together with its command', async (t) => {
  const file = await temporaryFile(t);
  const start = () => testPlane(t, { store: createSqliteStore(file), chartFolder: join(dirname(file), 'charts') });
  const first = await start();
  const agent = await rawAgent(first.agentUrl);
  await first.plane.uploadChart(archive);
  agent.socket.terminate();
  await eventually('the agent is disconnected', () => first.plane.agents().length === 0);
  const { key } = first.plane.install('edge-1', parameters);
  await first.plane.command(key)?.stored;
  await first.plane.close();

  const second = await start();
  const { puppets, load } = await chartAgent(t, second.agentUrl);
  const call = await puppets.call(0);
  t.like(call.payload, { chartUpload: digest });
  t.true(archive.equals(await load()));
  call.succeed();
  t.like(await second.plane.command(key)?.result, { ok: true });
});

test('an agent that breaks the rules of streams is disconnected', async (t) => {
  const { agentUrl } = await testPlane(t);
  const { socket } = await rawAgent(agentUrl, { streams: ['chart'] });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.send(Buffer.from('no frame'));
  t.is(await closed, 4400);
});
