import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type PeerCertificate } from 'node:tls';
import test, { type ExecutionContext } from 'ava';
import { WebSocket } from 'ws';
import { tlsFiles } from '../../src/agent/connection/tls-files.ts';
import { ControlPlane, openServerTls } from '../../src/control-plane/index.ts';
import { makeCertificates } from '../../src/sandbox/certificates.ts';
import { testAgent } from '../agent/support/agent.ts';
import { recordingLog } from '../agent/support/log.ts';
import { eventually } from '../support/eventually.ts';
import { tokensOf } from './support/credentials.ts';

const host = {
  now: () => BigInt(Date.now()) * 1_000_000n,
  randomBytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)),
};
const certificates = () => makeCertificates(host, '127.0.0.1');

async function filesOf(t: ExecutionContext) {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const files = { certificate: join(folder, 'tls.crt'), key: join(folder, 'tls.key') };
  const write = async ({ certificate, key }: { certificate: string; key: string }) => {
    await writeFile(files.certificate, certificate);
    await writeFile(files.key, key);
  };
  const first = certificates();
  await write(first);
  const ca = join(folder, 'ca.crt');
  await writeFile(ca, first.ca);
  const { log, lines } = recordingLog();
  const tls = await openServerTls(files, { log, intervalMs: 10 });
  return { files, write, tls, log, lines, caFile: ca, ca: first.ca };
}

async function servingTls(t: ExecutionContext) {
  const given = await filesOf(t);
  const plane = new ControlPlane({
    authenticate: tokensOf({ 'edge-1': 'one' }),
    apiToken: 'users',
    tls: given.tls,
    log: given.log,
  });
  const port = await plane.listen(0);
  t.teardown(() => plane.close());
  return { ...given, plane, port };
}

async function statusOf(port: number, ca: string, token?: string): Promise<number | undefined> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const sent = request({ port, host: '127.0.0.1', ca, path: '/api/agents', headers, agent: false }).end();
  const [response] = (await once(sent, 'response')) as [{ statusCode?: number; resume: () => void }];
  response.resume();
  return response.statusCode;
}

/** Returns the serial number of the certificate that a new connection gets. */
async function serialOf(port: number): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { serialNumber } = socket.getPeerCertificate() as PeerCertificate & { serialNumber: string };
  socket.destroy();
  return serialNumber;
}

test('a control plane with a certificate serves its API and agents over TLS', async (t) => {
  const { plane, port, ca, caFile } = await servingTls(t);
  t.is(await statusOf(port, ca, 'users'), 200);
  t.is(await statusOf(port, ca), 401);
  await t.throwsAsync(statusOf(port, certificates().ca, 'users'), {
    message: /self.signed|unable to verify|signature/,
  });
  await t.throwsAsync(fetch(`http://127.0.0.1:${port}/healthz`));
  await testAgent(t, {
    controlPlaneUrl: `wss://127.0.0.1:${port}`,
    readToken: () => Promise.resolve('one'),
    readTls: tlsFiles({ ca: caFile }),
  });
  t.is((await plane.waitForAgent('edge-1')).agentId, 'edge-1');
});

test('a client of an older TLS than 1.2 is refused', async (t) => {
  const { port, write } = await servingTls(t);
  const refused = async () => {
    const socket = connect({
      ...{ port, host: '127.0.0.1', rejectUnauthorized: false },
      ...{ minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
    });
    await once(socket, 'secureConnect').finally(() => socket.destroy());
  };
  await t.throwsAsync(refused());
  const first = await serialOf(port);
  await write(certificates());
  await eventually('the new certificate is used', async () => (await serialOf(port)) !== first);
  await t.throwsAsync(refused());
});

test('new files are used without a restart, and a pair that cannot be used leaves the one before', async (t) => {
  const { files, write, port, lines } = await servingTls(t);
  const first = await serialOf(port);
  const next = certificates();
  for (const [bad, message] of [
    [{ ...next, key: certificates().key }, /is not that of the certificate/],
    [{ ...next, certificate: 'nonsense' }, /must have a certificate in PEM/],
    [{ ...certificates(), key: '\u0000' }, /must have a private key in PEM/],
  ] as const) {
    await write(bad);
    await eventually(String(message), () => message.test(lines.join('')));
    t.is(await serialOf(port), first);
  }
  await rm(files.key);
  await eventually('the missing key is reported', () => lines.join('').includes('cannot read the key'));
  t.is(await serialOf(port), first);
  await write(next);
  await eventually('the new certificate is used', async () => (await serialOf(port)) !== first);
  t.false(lines.join('').includes('PRIVATE'));
});

test('an agent with a certificate serves clients over TLS', async (t) => {
  const { tls, ca } = await filesOf(t);
  const { agent } = await testAgent(t, {
    listen: { host: '127.0.0.1', port: 0 },
    listenTls: tls,
    readToken: () => Promise.resolve('clients'),
  });
  const url = `wss://127.0.0.1:${agent.port ?? 0}/exe-cmd`;
  const socket = new WebSocket(url, [], { ca, headers: { authorization: 'Bearer clients' } });
  await once(socket, 'open');
  socket.terminate();
  const refused = new WebSocket(url, [], { ca });
  refused.on('error', () => undefined);
  const [, response] = (await once(refused, 'unexpected-response')) as [unknown, { statusCode?: number }];
  t.is(response.statusCode, 401);
  refused.terminate();
});
