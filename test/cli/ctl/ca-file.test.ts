import { createSecureContext } from 'node:tls';
import test, { type ExecutionContext } from 'ava';
import { makeCertificates } from '../../../src/sandbox/certificates.ts';
import { testAgent } from '../../agent/support/agent.ts';
import { tokensOf } from '../../control-plane/support/credentials.ts';
import { testPlane } from '../../control-plane/support/plane.ts';
import { testProgram } from '../support/program.ts';

const host = {
  now: () => BigInt(Date.now()) * 1_000_000n,
  randomBytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)),
};

/** Starts a control plane whose certificate is from a CA of its own, and an agent. */
async function world(t: ExecutionContext) {
  const { certificate, key, ca } = makeCertificates(host, '127.0.0.1');
  const { plane, port } = await testPlane(t, {
    tls: { pair: { cert: certificate, key }, follow: () => undefined },
    authenticate: tokensOf({ 'edge-1': 'one' }),
    apiToken: 'users',
  });
  const { puppets } = await testAgent(t, {
    controlPlaneUrl: `wss://127.0.0.1:${port}`,
    readToken: () => Promise.resolve('one'),
    readTls: () => Promise.resolve(createSecureContext({ ca })),
  });
  await plane.waitForAgent('edge-1');
  const files = { ca, token: 'users', other: makeCertificates(host, '127.0.0.1').ca, text: 'nonsense' };
  const env = { HELM_AGENT_SERVER: `https://127.0.0.1:${port}`, HELM_AGENT_TOKEN_FILE: 'token' };
  return { puppets, program: (more: Record<string, string> = {}) => testProgram({ files, env: { ...env, ...more } }) };
}

test('--ca-file names the CA of the control plane, for requests and for streams of events', async (t) => {
  const { puppets, program } = await world(t);
  const listing = program();
  t.is(await listing.run('ctl', 'agents', '--ca-file', 'ca'), 0, listing.stderr.text);
  t.regex(listing.stdout.text, /edge-1/);
  const installing = program({ HELM_AGENT_CA_FILE: 'ca' });
  const code = installing.run('ctl', 'install', 'web', 'nginx', '--agent', 'edge-1');
  (await puppets.call(0)).succeed({});
  t.is(await code, 0, installing.stderr.text);
});

test('a certificate of another CA is refused, with advice', async (t) => {
  const { program } = await world(t);
  for (const args of [[], ['--ca-file', 'other']]) {
    const { run, stderr } = program();
    t.is(await run('ctl', 'agents', ...args), 1);
    t.regex(stderr.text, /certificate is not trusted; name the file with its CA with ctl --ca-file/);
  }
});

test('a file without a certificate is refused before a request', async (t) => {
  const { program } = await world(t);
  for (const [file, message] of [
    ['text', /--ca-file \(HELM_AGENT_CA_FILE\): text must have a certificate in PEM/],
    ['missing', /--ca-file .*missing.*name a file that this user can read/],
  ] as const) {
    const { run, stderr } = program();
    t.not(await run('ctl', 'agents', '--ca-file', file), 0);
    t.regex(stderr.text, message);
  }
});
