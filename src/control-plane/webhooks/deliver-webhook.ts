import { createHmac } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { abortable } from '../../async/index.ts';
import { DeniedReceiverError, receiverAddress, receiverUrl, type Resolve } from './receiver-address.ts';

/** An event in the form of CloudEvents 1.0. */
export interface CloudEvent {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject?: string | undefined;
  /** RFC 3339. */
  readonly time: string;
  readonly datacontenttype: 'application/json';
  readonly data: object;
}

export interface Delivery {
  readonly url: string;
  /** The secrets that sign it. */
  readonly secrets: readonly string[];
  readonly event: CloudEvent;
}

export interface DeliveryOptions {
  /** Hosts whose addresses are not checked, and that need no https. */
  allowedHosts: readonly string[];
  resolve: Resolve;
  now: () => Date;
  /** Time in milliseconds for the receiver to respond. Default: 20,000. */
  timeoutMs?: number;
}

/** The outcome of a delivery: its status, or why there is none. */
export type DeliveryOutcome = { readonly status: number } | { readonly problem: string };

const defaultTimeoutMs = 20_000;

/** Bytes of the headers of a response. */
const maxHeaderSize = 8 * 1024;

/**
 * Sends an event once. Resolves with the status of the response, of which nothing else is read.
 * Redirects are not followed. Rejects only with the signal's reason.
 */
export async function deliverWebhook(
  { url: text, secrets, event }: Delivery,
  { allowedHosts, resolve, now, timeoutMs = defaultTimeoutMs }: DeliveryOptions,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  signal.throwIfAborted();
  const timeout = AbortSignal.timeout(timeoutMs);
  const over = AbortSignal.any([signal, timeout]);
  const body = JSON.stringify(event);
  const timestamp = Math.floor(now().getTime() / 1000);
  const headers = {
    'content-type': 'application/cloudevents+json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'user-agent': 'helm-agent',
    'webhook-id': event.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => signatureOf(secret, `${event.id}.${timestamp}.${body}`)).join(' '),
  };
  try {
    const url = receiverUrl(text, allowedHosts);
    const address = await abortable(receiverAddress(url, allowedHosts, resolve), over);
    return await post(url, { ...address, headers, body, signal: over });
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) return { problem: `the receiver has not responded in ${timeoutMs / 1000} s` };
    if (error instanceof DeniedReceiverError) return { problem: error.message };
    return { problem: `the receiver cannot be reached: ${codeOf(error)}` };
  }
}

/** Returns a signature of Standard Webhooks. */
function signatureOf(secret: string, content: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}

interface Post {
  address: string;
  family: number;
  headers: Record<string, string | number>;
  body: string;
  signal: AbortSignal;
}

function post(url: URL, { address, family, headers, body, signal }: Post): Promise<DeliveryOutcome> {
  const { promise, resolve, reject } = Promise.withResolvers<DeliveryOutcome>();
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const request = send(url, {
    ...{ method: 'POST', headers, signal, agent: false, maxHeaderSize, insecureHTTPParser: false },
    // the connection goes to the address that was checked, whatever the name leads to meanwhile
    lookup: (_host, options, onFound) => {
      if (options.all === true) onFound(null, [{ address, family }]);
      else onFound(null, address, family);
    },
  });
  request.once('response', (response) => {
    resolve({ status: response.statusCode ?? 0 });
    response.destroy();
  });
  request.once('upgrade', ({ statusCode = 0 }, socket) => {
    resolve({ status: statusCode });
    socket.destroy();
  });
  request.on('error', reject);
  request.once('close', () => reject(new Error('the connection has ended'))); // whatever comes before
  request.end(body);
  return promise;
}

/** Returns the code of an error of Node, whose message could name what is inside a network. */
function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code) ? code : 'unknown';
}
