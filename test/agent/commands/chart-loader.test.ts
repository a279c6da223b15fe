import test from 'ava';
import { chartLoader } from '../../../src/agent/commands/chart-loader.ts';
import type { ChartPlace } from '../../../src/operation/request.ts';
import type { ChartRequest, ReadCredentials, SourceMirrors } from '../../../src/source/chart-request.ts';

const origin = 'https://charts.example.com';
const never = new AbortController().signal;
const content = { name: 'web', version: '1.0.0', digest: '', files: [] };

const mirrorsWith = (secret?: string): SourceMirrors => ({
  hosts: new Set(['mirror.internal']),
  mirrorOf: (url) =>
    url.startsWith(origin) ? { url: `https://mirror.internal${url.slice(origin.length)}`, secret } : undefined,
});

/** Returns a loader, and what it has asked for. */
function recordingLoader() {
  const asked: string[] = [];
  const requests: ChartRequest[] = [];
  const credentials: ReadCredentials = (secret, { repoUrl }) => {
    asked.push(`secret ${secret} for ${repoUrl ?? ''}`);
    return Promise.resolve({ username: 'joe', password: 'of the secret' });
  };
  const sealing = {
    open: () => {
      asked.push('sealed credentials');
      return Promise.resolve('{"hosts":"charts.example.com","username":"joe","password":"sealed"}');
    },
    publicKey: () => Promise.reject(new Error('not used')),
  };
  const source = {
    load: (request: ChartRequest) => {
      requests.push(request);
      return Promise.resolve(content);
    },
  };
  return { loader: chartLoader({ source, credentials, sealing }), asked, requests };
}

const sealedCredentials: NonNullable<ChartPlace['sealedCredentials']> = {
  ...{ keyId: 'a', agentId: 'edge-1', namespace: 'shop', releaseName: 'web', purpose: 'credentials' },
  ...{ enc: '', ciphertext: '' },
};
const place: ChartPlace = { chartName: 'web', repoUrl: origin, namespace: 'shop', releaseName: 'web' };

test('sealed credentials are opened for the host that the command names', async (t) => {
  const { loader, asked, requests } = recordingLoader();
  await loader({ ...place, sealedCredentials }, { mirrors: { ...mirrorsWith(), mirrorOf: () => undefined } })(never);
  t.deepEqual(asked, ['sealed credentials']);
  t.like(requests[0], { repoUrl: origin, username: 'joe', password: 'sealed' });
});

test('sealed credentials are not opened for a mirror, and those of a Secret not read', async (t) => {
  for (const own of [{ sealedCredentials }, { credentialsFrom: { secret: 'own' } }]) {
    const { loader, asked, requests } = recordingLoader();
    await loader({ ...place, ...own }, { mirrors: mirrorsWith() })(never);
    t.deepEqual(asked, []);
    t.like(requests[0], { repoUrl: 'https://mirror.internal', username: undefined, password: undefined });
  }
});

test('the Secret of a mirror gives its credentials, in place of those of the command', async (t) => {
  const own = [{}, { sealedCredentials }, { repoUserName: 'ann', repoPassword: 'own' }];
  for (const given of own) {
    const { loader, asked, requests } = recordingLoader();
    await loader({ ...place, ...given }, { mirrors: mirrorsWith('mirror') })(never);
    t.deepEqual(asked, ['secret mirror for https://mirror.internal']);
    t.like(requests[0], { repoUrl: 'https://mirror.internal', username: 'joe', password: 'of the secret' });
  }
});
