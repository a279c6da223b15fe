import * as z from 'zod';
import type { ApiClientOptions } from '../api-client.ts';
import { ApiError, post, read, request } from '../api-request.ts';

const methodsSchema = z.looseObject({ device: z.boolean() });

const deviceSchema = z.object({
  ...{ deviceCode: z.string(), userCode: z.string(), verificationUri: z.string() },
  verificationUriComplete: z.string().optional(),
  /** Seconds. */
  expiresIn: z.number().positive(),
  interval: z.number().nonnegative(),
});
/** How a person signs in with another device. */
export type DeviceCode = z.output<typeof deviceSchema>;

const outcomeSchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('pending'), slowDown: z.boolean() }),
  z.object({ state: z.literal('done'), token: z.string(), name: z.string(), expiresAt: z.string() }),
]);
/** Whether a person has signed in, and their token. */
export type SignInOutcome = z.output<typeof outcomeSchema>;

const sessionSchema = z.looseObject({
  ...{ id: z.string(), name: z.string(), kind: z.string() },
  ...{ createdAt: z.string(), seenAt: z.string(), expiresAt: z.string() },
});
const sessionsSchema = z.object({ sessions: z.array(sessionSchema) });
/** A session of a person. */
type UserSession = z.output<typeof sessionSchema>;

/** The part of the REST API about people. Its methods reject with `ApiError`. */
export interface SignInClient {
  /** Begins to sign in with another device. */
  begin(signal: AbortSignal): Promise<DeviceCode>;
  outcome(deviceCode: string, signal: AbortSignal): Promise<SignInOutcome>;
  signOut(signal: AbortSignal): Promise<void>;
  sessions(signal: AbortSignal): Promise<UserSession[]>;
  revokeSession(id: string, signal: AbortSignal): Promise<UserSession>;
}

export function createSignInClient(given: ApiClientOptions): SignInClient {
  const options = { ...given, server: given.server.replace(/(?<!\/)\/+$/, '') };
  const { server } = options;
  return {
    async begin(signal) {
      const response = await request(options, '/sign-in/methods', { signal }).catch((error: unknown) => {
        if (!(error instanceof ApiError && error.status === 404)) throw error;
        throw new ApiError(`people cannot sign in at ${server}; use --token-file with a token of your own`, false);
      });
      const { device } = await read(methodsSchema, response, server);
      if (!device) {
        const advice = 'ask an administrator for a token, or to set deviceSignIn in its --sign-in-file';
        throw new ApiError(`${server} lets people sign in with a browser only; ${advice}`, false);
      }
      return await read(deviceSchema, await post(options, '/sign-in/device', {}, signal), server);
    },
    async outcome(deviceCode, signal) {
      return await read(outcomeSchema, await post(options, '/sign-in/device/token', { deviceCode }, signal), server);
    },
    async signOut(signal) {
      await post(options, '/api/sign-out', {}, signal);
    },
    async sessions(signal) {
      const response = await request(options, '/api/sessions', { signal });
      return (await read(sessionsSchema, response, server)).sessions;
    },
    async revokeSession(id, signal) {
      const path = `/api/sessions/${encodeURIComponent(id)}`;
      return await read(sessionSchema, await request(options, path, { method: 'DELETE', signal }), server);
    },
  };
}
