import type { ExecutionContext } from 'ava';
import { dump } from 'js-yaml';
import type { ControlPlaneOptions, SignInFile } from '../../../../src/control-plane/index.ts';
import { readSignInSettings } from '../../../../src/control-plane/sign-in/sign-in-settings.ts';
import { commandTable } from '../../../../src/protocol/commands/index.ts';
import { testPlane } from '../../support/plane.ts';
import { browser } from './browser.ts';
import { fakeProvider } from './fake-provider.ts';

export const groups = [
  { group: 'platform', roles: [{ rights: ['admin'] }] },
  { group: 'shop', roles: [{ rights: ['read', 'deploy'], agents: ['edge-*'], namespaces: ['shop'] }] },
];

/** Returns a sign-in file that is changed by a call. */
export function changeableFile(fields: object): SignInFile & { change: (changes: object) => void } {
  let present: object = { clientId: 'hub', url: 'http://127.0.0.1:1', groups, ...fields };
  let settings = readSignInSettings(dump(present), commandTable);
  const listeners = new Set<() => void>();
  return {
    settings: () => settings,
    isReadable: () => true,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => listeners.clear(),
    change(changes) {
      present = { ...present, ...changes };
      settings = readSignInSettings(dump(present), commandTable);
      for (const listener of listeners) listener();
    },
  };
}

/** Starts a control plane at which people sign in with a provider. */
export async function signInPlane(t: ExecutionContext, fields: object, options: ControlPlaneOptions = {}) {
  const file = changeableFile(fields);
  const made = await testPlane(t, { apiToken: 'root', insecure: true, signIn: file, ...options });
  file.change({ url: made.url });
  return { ...made, file };
}

/** The same with a provider that lies, and browsers. */
export async function signInWorld(t: ExecutionContext, fields: object = {}, options: ControlPlaneOptions = {}) {
  const provider = await fakeProvider(t);
  const made = await signInPlane(t, { issuer: provider.issuer, ...fields }, options);
  const { url } = made;
  /** Begins to sign in, and returns the address to which the provider sends the browser. */
  const begin = async (client = browser(), query = '') => {
    const begun = await client.open(`${url}/sign-in${query}`);
    await begun.body?.cancel();
    return provider.authenticate(begun.headers.get('location') ?? '');
  };
  /** Signs in, and returns the response to the callback. */
  const signInWith = async (client = browser(), query = '') => client.open(await begin(client, query));
  const person = async (client = browser()) => {
    const response = await signInWith(client);
    t.is(response.status, 303, await response.text());
    const cookie = () => client.jarOf(url).get('helm-agent-session') ?? '';
    /** Sends a request as the dashboard does. */
    const ask = (method: string, path: string, headers: Record<string, string> = {}, body?: unknown) => {
      const own = { origin: url, 'x-helm-agent-request': '1', 'content-type': 'application/json' };
      return client.open(`${url}${path}`, {
        ...{ method, headers: { ...(method !== 'GET' && own), ...headers } },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    };
    return { client, ask, cookie };
  };
  const audit = async () => {
    const response = await fetch(`${url}/api/audit`, { headers: { authorization: 'Bearer root' } });
    const lines = (await response.text()).trim().split('\n');
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  return { ...made, provider, begin, signInWith, person, audit };
}
