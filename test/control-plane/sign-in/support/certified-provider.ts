import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';
import Provider from 'oidc-provider';
import type { ControlPlaneOptions } from '../../../../src/control-plane/index.ts';
import { temporaryFile } from '../../support/file.ts';
import { signInPlane } from './signed-in.ts';

const secret = 'sentinel-secret-of-the-client';

/** Starts a provider that is certified, with pages of its own, and a control plane that uses it. */
export async function providerWorld(t: ExecutionContext, options: ControlPlaneOptions = {}) {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const clientSecretFile = await temporaryFile(t);
  await writeFile(clientSecretFile, `${secret}\n`);
  const scopes = ['openid', 'email', 'groups'];
  const made = await signInPlane(t, { issuer, clientSecretFile, deviceSignIn: true, scopes }, options);
  const redirects = (id: string) => ({
    ...{ client_id: id, client_secret: secret, redirect_uris: [`${made.url}/sign-in/callback`] },
    grant_types: ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'],
  });
  const provider = new Provider(issuer, {
    clients: [redirects('hub'), redirects('other')],
    cookies: { keys: [randomBytes(16).toString('hex')] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
    features: { devInteractions: { enabled: true }, deviceFlow: { enabled: true } },
    findAccount: (_context, sub) => ({
      accountId: sub,
      claims: () => ({ sub, email: `${sub}@example.com`, email_verified: true, groups: ['platform', 'others'] }),
    }),
  });
  server.on('request', provider.callback() as never);
  return { ...made, issuer };
}
