import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { changeableFile } from '../../../control-plane/sign-in/support/signed-in.ts';
import { testPlane } from '../../../control-plane/support/plane.ts';
import { testProgram } from '../../support/program.ts';

const issuer = 'http://127.0.0.1:1';
const path = '/home/kim/.local/state/helm-agent/ctl-tokens.json';
const device = {
  ...{ deviceCode: 'secret-of-the-device', userCode: 'ABCD-EFGH', verificationUri: 'https://login.example/device' },
  ...{ expiresIn: 60, interval: 0 },
};

/** Starts a control plane whose provider lets Kim in when it is asked for the third time. */
async function world(t: ExecutionContext, fields: object = { deviceSignIn: true }, codes: object = {}) {
  const made = await testPlane(t, { apiToken: 'root', insecure: true, signIn: changeableFile({ issuer, ...fields }) });
  const { sessions } = made.plane;
  let polls = 0;
  const replies: Record<string, () => Promise<object>> = {
    '/sign-in/device': () => Promise.resolve({ ...device, ...codes }),
    async '/sign-in/device/token'() {
      polls++;
      if (polls < 3 || !sessions) return { state: 'pending', slowDown: false };
      const person = { name: 'kim@example.com', groups: ['platform'] };
      const { secret, name, expiresAt } = await sessions.create(person, 'ctl');
      return { state: 'done', token: secret, name, expiresAt };
    },
  };
  const program = testProgram({
    env: { HELM_AGENT_SERVER: made.url, HOME: '/home/kim' },
    files: { root: 'root' },
    async fetch(url, init) {
      const reply = replies[new URL(url).pathname];
      return reply ? Response.json(await reply()) : fetch(url, init);
    },
  });
  const ctl = async (...args: string[]) => {
    const [out, error] = [program.stdout.text.length, program.stderr.text.length];
    const code = await program.run('ctl', ...args);
    return { code, stdout: program.stdout.text.slice(out), stderr: program.stderr.text.slice(error) };
  };
  return { ...made, program, ctl };
}

test('ctl login keeps a token that other commands use, and ctl logout ends it', async (t) => {
  const { ctl, program, url } = await world(t);
  t.regex((await ctl('agents')).stderr, /requires a token \(401\).*or sign in with ctl login/);
  const login = await ctl('login');
  t.is(login.code, 0, login.stderr);
  t.regex(login.stderr, /^Open https:\/\/login\.example\/device and enter the code ABCD-EFGH\n/);
  t.regex(login.stdout, /^You are signed in as kim@example\.com until 20/);
  const kept = JSON.parse(program.files[path] ?? '') as Record<string, { token: string }>;
  t.deepEqual(Object.keys(kept), [url]);
  t.regex(kept[url]?.token ?? '', /^has_/);
  t.false(`${login.stdout}${login.stderr}`.includes(kept[url]?.token ?? ''));
  t.regex((await ctl('whoami')).stdout, /^kim@example\.com, until 20/);
  t.regex((await ctl('session', 'list')).stdout, /kim@example\.com +ctl /);
  t.regex((await ctl('--token-file', 'root', 'whoami')).stdout, /^api-token/);
  t.regex((await ctl('logout')).stdout, /^You are signed out/);
  t.deepEqual(JSON.parse(program.files[path] ?? ''), {});
  const before = await fetch(`${url}/api/me`, { headers: { authorization: `Bearer ${kept[url]?.token ?? ''}` } });
  t.is(before.status, 401);
});

test('an administrator ends the sessions of a person', async (t) => {
  const { ctl } = await world(t);
  await ctl('login');
  const revoked = await ctl('--token-file', 'root', 'session', 'revoke', 'kim@example.com');
  t.regex(revoked.stdout, /^session [0-9a-f]{12} of kim@example\.com has ended\n$/);
  t.regex((await ctl('whoami')).stderr, /does not accept this token/);
  t.regex(
    (await ctl('--token-file', 'root', 'session', 'revoke', 'kim@example.com')).stderr,
    /no session has the name/,
  );
  t.is((await ctl('logout')).code, 0, 'a session that has ended is forgotten');
});

test('the token of a control plane is not sent to another one', async (t) => {
  const { ctl, program } = await world(t);
  await ctl('login');
  const seen: (string | undefined)[] = [];
  const other = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(401).end('{}');
  });
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  t.teardown(() => other.close());
  await program.run('ctl', '--server', `http://127.0.0.1:${(other.address() as AddressInfo).port}`, 'agents');
  t.deepEqual(seen, [undefined]);
});

test('a code that expires ends ctl login, and leaves no file', async (t) => {
  const { ctl, program } = await world(t, { deviceSignIn: true }, { expiresIn: 0.000_001 });
  const { code, stderr } = await ctl('login');
  t.is(code, 1);
  t.regex(stderr, /the code has expired; run ctl login again/);
  t.is(program.files[path], undefined);
});

test('texts of a control plane cannot take a terminal over', async (t) => {
  const { ctl } = await world(
    t,
    { deviceSignIn: true },
    { userCode: 'A\u001b[2JB', verificationUri: 'https://a\r\nb' },
  );
  const { stderr } = await ctl('login');
  t.notRegex(stderr, /\u001b|\r/);
});

test('ctl login says so when people cannot sign in, or only with a browser', async (t) => {
  const { ctl } = await world(t, {});
  t.regex((await ctl('login')).stderr, /lets people sign in with a browser only; ask an administrator for a token/);
  const { url } = await testPlane(t);
  t.regex((await ctl('--server', url, 'login')).stderr, /people cannot sign in at .*; use --token-file/);
});

test('a file with tokens that is damaged is named', async (t) => {
  const { ctl, program } = await world(t);
  program.files[path] = '{"http://127.0.0.1:1": "sentinel"';
  const { stderr } = await ctl('agents');
  t.regex(stderr, /ctl-tokens\.json cannot be read; delete it, and run ctl login again/);
  t.notRegex(stderr, /sentinel/);
});
