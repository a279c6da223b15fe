import { readFile } from 'node:fs/promises';
import type * as OpenidClientModule from 'openid-client';
import type { Configuration, CustomFetch, TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client';
import { codeOf, messageOf } from '../../errors/index.ts';
import { ControlPlaneError } from '../error.ts';
import type { Logger } from '../logger.ts';
import { type Claims, type Person, personOf } from './person.ts';
import type { SignInSettings } from './sign-in-settings.ts';

/** The values that a browser must bring back from the provider. */
export interface SignInAttempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The code with which a person signs in with another device. */
export interface DeviceCode {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly verificationUri: string;
  readonly verificationUriComplete?: string | undefined;
  /** Seconds. */
  readonly expiresIn: number;
  /** Seconds between two requests for the outcome. */
  readonly interval: number;
}

export interface IdentityProviderOptions {
  settings: () => SignInSettings;
  log: Logger;
}

type OpenidClient = typeof OpenidClientModule;

/** Time for each response of the provider, in seconds. */
const timeoutSeconds = 10;

/** Most bytes of a response of the provider. */
const maxResponseBytes = 1024 * 1024;

/** Number of sign-ins that wait for the provider. */
const maxWaiting = 50;

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/** The path to which the provider sends browsers back. */
export const callbackPath = '/sign-in/callback';

/**
 * The OpenID provider at which people sign in. Its metadata are read when they are first needed.
 * Methods reject with `ControlPlaneError`: `provider_unavailable` if the provider cannot be used,
 * `busy`, and `unauthenticated` and `forbidden` about the person.
 */
export class IdentityProvider {
  readonly #options: IdentityProviderOptions;
  #known: { settings: SignInSettings; secret: string | undefined; configuration: Promise<Configuration> } | undefined;
  #waiting = 0;

  constructor(options: IdentityProviderOptions) {
    this.#options = options;
  }

  /** Returns the address at which a browser signs in, and what the browser must bring back. */
  async begin(): Promise<SignInAttempt & { address: string }> {
    return await this.#ask(async (client, configuration, settings) => {
      const attempt = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      };
      const address = client.buildAuthorizationUrl(configuration, {
        redirect_uri: `${settings.url}${callbackPath}`,
        scope: settings.scopes.join(' '),
        ...{ state: attempt.state, nonce: attempt.nonce },
        ...{ code_challenge: await client.calculatePKCECodeChallenge(attempt.verifier), code_challenge_method: 'S256' },
      });
      return { ...attempt, address: address.href };
    });
  }

  /** Returns the person whom the provider has sent back with a query. */
  async finish(query: string, { state, nonce, verifier }: SignInAttempt): Promise<Person> {
    return await this.#ask(async (client, configuration, settings) => {
      const tokens = await client.authorizationCodeGrant(
        configuration,
        new URL(`${settings.url}${callbackPath}${query}`),
        { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true },
      );
      return personOf(await claimsOf(client, configuration, tokens, settings), settings);
    });
  }

  /** Begins to sign in on a device without a browser. */
  async beginDevice(): Promise<DeviceCode> {
    return await this.#ask(async (client, configuration, { scopes }) => {
      if (configuration.serverMetadata().device_authorization_endpoint === undefined) {
        throw new ControlPlaneError('unsupported', 'the provider does not support sign-in by a code');
      }
      const given = await client.initiateDeviceAuthorization(configuration, { scope: scopes.join(' ') });
      return {
        ...{ deviceCode: given.device_code, userCode: given.user_code, verificationUri: given.verification_uri },
        verificationUriComplete: given.verification_uri_complete,
        ...{ expiresIn: given.expires_in, interval: given.interval ?? 5 },
      };
    });
  }

  /** Returns the person who has signed in for a device, or that they have not done so yet. */
  async finishDevice(deviceCode: string): Promise<Person | 'pending' | 'slow down'> {
    return await this.#ask(async (client, configuration, settings) => {
      try {
        const tokens = await client.genericGrantRequest(configuration, deviceGrant, { device_code: deviceCode });
        return personOf(await claimsOf(client, configuration, tokens, settings), settings);
      } catch (error) {
        const code = error instanceof client.ResponseBodyError ? error.error : '';
        if (code === 'authorization_pending') return 'pending';
        if (code === 'slow_down') return 'slow down';
        throw error;
      }
    });
  }

  async #ask<Result>(
    question: (client: OpenidClient, configuration: Configuration, settings: SignInSettings) => Promise<Result>,
  ): Promise<Result> {
    if (this.#waiting >= maxWaiting) {
      throw new ControlPlaneError('busy', 'too many people sign in at a time; try again');
    }
    this.#waiting++;
    try {
      const client = await import('openid-client');
      const settings = this.#options.settings();
      return await question(client, await this.#configuration(client, settings), settings).catch((error: unknown) => {
        throw this.#explained(error, client);
      });
    } finally {
      this.#waiting--;
    }
  }

  async #configuration(client: OpenidClient, settings: SignInSettings): Promise<Configuration> {
    const secret = await this.#secret(settings);
    const known = this.#known;
    if (known?.settings === settings && known.secret === secret) return await known.configuration;
    const configuration = discover(client, settings, secret);
    this.#known = { settings, secret, configuration };
    return await configuration.catch((error: unknown) => {
      this.#known = undefined;
      throw this.#unavailable(error);
    });
  }

  async #secret({ clientSecretFile }: SignInSettings): Promise<string | undefined> {
    if (clientSecretFile === undefined) return undefined;
    const text = await readFile(clientSecretFile, 'utf8').catch((error: unknown) => {
      throw this.#unavailable(error);
    });
    return text.trim();
  }

  /** Its messages may have what the provider has sent, so they are for the log only. */
  #explained(error: unknown, client: OpenidClient): ControlPlaneError {
    if (error instanceof ControlPlaneError) return error;
    if (error instanceof client.AuthorizationResponseError) {
      const isDenied = error.error === 'access_denied';
      const message = isDenied ? 'the sign-in was refused or cancelled' : 'the provider has refused the sign-in';
      return new ControlPlaneError('unauthenticated', message);
    }
    const code = codeOf(error) ?? '';
    // fetch rejects with a TypeError if it gets no response
    if ((error instanceof TypeError && code === '') || code === 'OAUTH_TIMEOUT') return this.#unavailable(error);
    this.#options.log.warn({ reason: messageOf(error), code }, 'a sign-in is not valid');
    return new ControlPlaneError(
      'unauthenticated',
      'the response of the provider is not valid, or is not for this sign-in',
    );
  }

  #unavailable(error: unknown): ControlPlaneError {
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
    this.#options.log.warn({ reason: `${messageOf(error)}${cause}` }, 'cannot use the OpenID provider');
    const message = 'the OpenID provider cannot be used now; try again, or see the log of the control plane';
    return new ControlPlaneError('provider_unavailable', message);
  }
}

async function discover(
  client: OpenidClient,
  { issuer, clientId }: SignInSettings,
  secret: string | undefined,
): Promise<Configuration> {
  const isPlain = new URL(issuer).protocol === 'http:'; // the file names only this machine so
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked only to make it stand out
  const extensions: ((configuration: Configuration) => void)[] = isPlain ? [client.allowInsecureRequests] : [];
  const found = await client.discovery(new URL(issuer), clientId, undefined, client.None(), {
    timeout: timeoutSeconds,
    [client.customFetch]: boundedFetch,
    execute: extensions,
  });
  const metadata = found.serverMetadata();
  // the default of the specification is Basic
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const withSecret = methods.includes('client_secret_basic') ? client.ClientSecretBasic : client.ClientSecretPost;
  const authentication = secret === undefined ? client.None() : withSecret(secret);
  const configuration = new client.Configuration(metadata, clientId, secret, authentication);
  configuration.timeout = timeoutSeconds;
  configuration[client.customFetch] = boundedFetch;
  for (const extend of extensions) extend(configuration);
  // also the signatures of tokens that come from the provider itself
  client.enableNonRepudiationChecks(configuration);
  return configuration;
}

/** Fetches a response of bounded size. */
const boundedFetch: CustomFetch = async (url, { body, ...options }) => {
  const response = await fetch(url, { ...options, ...(body !== null && body !== undefined && { body }) });
  const chunks: Uint8Array[] = [];
  let size = 0;
  const content: AsyncIterable<Uint8Array> | undefined = response.body ?? undefined;
  for await (const chunk of content ?? []) {
    size += chunk.length;
    if (size > maxResponseBytes) throw new TypeError(`the provider sends more than ${maxResponseBytes} bytes`);
    chunks.push(chunk);
  }
  const { status, headers } = response;
  const hasBody = chunks.length > 0;
  return new Response(hasBody ? Buffer.concat(chunks) : null, { status, headers });
};

/** Returns the claims of the ID token, and those that only the UserInfo endpoint has. */
async function claimsOf(
  client: OpenidClient,
  configuration: Configuration,
  tokens: TokenEndpointResponse & TokenEndpointResponseHelpers,
  { nameClaim, groupsClaim }: SignInSettings,
): Promise<Claims> {
  const claims = tokens.claims();
  if (!claims) throw new ControlPlaneError('unauthenticated', 'the provider has sent no ID token');
  const isComplete = claims[nameClaim] !== undefined && claims[groupsClaim] !== undefined;
  if (isComplete || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
  return { ...(await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)), ...claims };
}
