import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { load } from 'js-yaml';
import { Agent, type Dispatcher } from 'undici';
import { makeCertificates } from '../../src/sandbox/certificates.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { realHost } from './host.ts';

/**
 * Faults of a request. `busy` (429), `failed` (500), `unavailable` (503), `conflict` (409) and
 * `expired` (410) are responses of the API server. `reset` cuts the connection before the request,
 * `lost` after it was performed; `broken` cuts it in the middle of the response, and `truncated`
 * ends the response there as if it were complete. `slow` passes everything late.
 */
const apiFaults = [
  'busy',
  'failed',
  'unavailable',
  'conflict',
  'expired',
  'reset',
  'lost',
  'broken',
  'truncated',
  'slow',
] as const;
export type ApiFault = (typeof apiFaults)[number];

const readFaults = apiFaults.filter((fault) => fault !== 'conflict' && fault !== 'expired');
const writeFaults = apiFaults.filter((fault) => fault !== 'expired');
const watchFaults = apiFaults.filter((fault) => fault !== 'conflict');

/** Part of the requests before which the token of the agent expires. */
const expiryRate = 1 / 250;

export interface FaultyApiOptions {
  /** Returns numbers from 0 up to 1. */
  random: () => number;
  /** A folder for the kubeconfig and the token. */
  folder: string;
}

/**
 * A proxy in front of the sandbox's API server that injects faults, and whose bearer token expires:
 * the next one is then in its file.
 */
export class FaultyApi {
  /** Part of the requests that have a fault. */
  rate = 0;
  /** `METHOD PATH?QUERY` of each request. */
  readonly requests: string[] = [];
  /** The user whom each request impersonates, in the same order; an empty text for none. */
  readonly users: string[] = [];
  /** Number of requests with each fault. */
  readonly injected = new Map<ApiFault, number>();
  /** Number of tokens that have expired. */
  expiries = 0;
  /** A kubeconfig for the proxy. */
  readonly kubeconfig: string;
  readonly #random: () => number;
  readonly #tokenFile: string;
  readonly #server: Server;
  readonly #upstream: { origin: string; authorization: string; agent: Agent };
  readonly #closing = new AbortController();
  readonly #certificates = makeCertificates(realHost, '127.0.0.1');
  /** The open TCP connections, by the ports of the clients. */
  readonly #sockets = new Map<number | undefined, Socket>();
  #token = '';

  constructor(sandbox: Sandbox, { random, folder }: FaultyApiOptions) {
    this.#random = random;
    this.kubeconfig = join(folder, 'kubeconfig');
    this.#tokenFile = join(folder, 'token');
    const { users } = load(sandbox.kubeconfig) as { users: [{ user: { token: string } }] }; // as the sandbox writes it
    this.#upstream = {
      origin: sandbox.url,
      authorization: `Bearer ${users[0].user.token}`,
      agent: new Agent({ connect: { ca: sandbox.ca }, bodyTimeout: 0 }),
    };
    const { certificate: cert, key } = this.#certificates;
    this.#server = createServer({ cert, key }, (request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
    this.#server.on('connection', (socket: Socket) => {
      const { remotePort } = socket;
      this.#sockets.set(remotePort, socket);
      socket.once('close', () => this.#sockets.delete(remotePort));
    });
  }

  static async start(sandbox: Sandbox, options: FaultyApiOptions): Promise<FaultyApi> {
    const api = new FaultyApi(sandbox, options);
    api.#replaceToken();
    api.#server.listen(0, '127.0.0.1');
    await once(api.#server, 'listening');
    const { port } = api.#server.address() as AddressInfo; // a TCP server that listens has one
    const authority = { 'certificate-authority-data': Buffer.from(api.#certificates.ca).toString('base64') };
    writeFileSync(
      api.kubeconfig,
      JSON.stringify({
        clusters: [{ name: 'c', cluster: { server: `https://127.0.0.1:${port}`, ...authority } }],
        users: [{ name: 'u', user: { tokenFile: 'token' } }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'default' } }],
        'current-context': 'x',
      }),
    );
    return api;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#server.closeAllConnections();
    this.#server.close();
    await this.#upstream.agent.destroy();
  }

  /** Returns what was injected, for the log of a test. */
  summary(): string {
    const faults = apiFaults.map((fault) => `${fault} ${this.injected.get(fault) ?? 0}`);
    return `${this.requests.length} requests, faults: ${faults.join(', ')}, tokens expired: ${this.expiries}`;
  }

  #replaceToken(): void {
    this.#token = `token-${Math.floor(this.#random() * 1e9)}`;
    writeFileSync(this.#tokenFile, `${this.#token}\n`);
  }

  #chooseFault(kind: string): ApiFault | undefined {
    if (this.#random() >= this.rate) return undefined;
    const faults = kind === 'WATCH' ? watchFaults : kind === 'GET' ? readFaults : writeFaults;
    const fault = faults[Math.floor(this.#random() * faults.length)];
    if (fault !== undefined) this.injected.set(fault, (this.injected.get(fault) ?? 0) + 1);
    return fault;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const isWatch = new URL(request.url ?? '', 'http://proxy').searchParams.get('watch') === 'true';
    const kind = isWatch ? 'WATCH' : (request.method ?? '');
    this.requests.push(`${kind} ${request.url ?? ''}`);
    this.users.push([request.headers['impersonate-user'] ?? ''].flat().join());
    if (this.rate > 0 && this.#random() < expiryRate) {
      this.expiries += 1;
      this.#replaceToken();
    }
    if (request.headers.authorization !== `Bearer ${this.#token}`) {
      refuse(response, 401, 'Unauthorized', 'Unauthorized');
      return;
    }
    const fault = this.#chooseFault(kind);
    switch (fault) {
      case 'busy':
        refuse(response, 429, 'TooManyRequests', 'too many requests, please try again later', { 'retry-after': '1' });
        return;
      case 'unavailable':
        response.writeHead(503, { 'content-type': 'text/plain' }).end('Service Unavailable');
        return;
      case 'conflict':
        refuseWithConflict(request, response);
        return;
      case 'expired':
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(
          `${JSON.stringify({ type: 'ERROR', object: status(410, 'Expired', 'too old resource version') })}\n`,
        );
        return;
      case 'reset':
        this.#reset(request);
        return;
      case 'failed': {
        const isPerformed = kind !== 'GET' && kind !== 'WATCH' && this.#random() < 0.5;
        if (isPerformed) await (await this.#forward(request, chunks)).body.dump();
        refuse(response, 500, '', 'etcdserver: leader changed');
        return;
      }
      case 'slow':
        await sleep(50 + this.#random() * 450, undefined, { signal: this.#closing.signal });
        break;
      case 'lost':
        if (kind !== 'WATCH') await (await this.#forward(request, chunks)).body.dump();
        this.#reset(request);
        return;
      default:
        break;
    }
    await this.#pass(await this.#forward(request, chunks), response, fault);
  }

  async #forward({ method, url = '', headers }: IncomingMessage, chunks: Buffer[]): Promise<Dispatcher.ResponseData> {
    const { origin, authorization, agent } = this.#upstream;
    const own = Object.fromEntries(
      Object.entries(headers).filter(([name]) => !['host', 'connection', 'content-length'].includes(name)),
    );
    return await agent.request({
      ...{ origin, path: url, method: method as Dispatcher.HttpMethod, signal: this.#closing.signal },
      headers: { ...own, authorization },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
  }

  /** Resets a connection below its TLS, which has no way to do so. */
  #reset({ socket: { remotePort } }: IncomingMessage): void {
    this.#sockets.get(remotePort)?.resetAndDestroy();
  }

  /** Passes a response on, or the first bytes of it. */
  async #pass(
    { statusCode, headers, body }: Dispatcher.ResponseData,
    response: ServerResponse,
    fault: ApiFault | undefined,
  ): Promise<void> {
    const isCut = fault === 'broken' || fault === 'truncated';
    const { 'content-length': length } = headers;
    const own = Object.entries(headers).filter(([name]) => !['content-length', 'connection'].includes(name));
    response.writeHead(statusCode, Object.fromEntries(own));
    response.flushHeaders();
    response.on('close', () => body.destroy());
    const most = isCut ? Math.max(1, Number(length ?? 1000) * this.#random()) : Infinity;
    let passed = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (fault === 'slow') await sleep(20, undefined, { signal: this.#closing.signal });
      response.write(chunk.subarray(0, Math.max(0, most - passed)));
      passed += chunk.length;
      if (passed >= most) break;
    }
    if (fault === 'broken') this.#reset(response.req);
    else response.end();
  }
}

/** Refuses a write as the API server does when others write at the same time. */
function refuseWithConflict({ method, url }: IncomingMessage, response: ServerResponse): void {
  const text = 'the object has been modified; please apply your changes to the latest version and try again';
  const resource = method === 'POST' ? 'resourcequotas' : ((url ?? '').split('?')[0]?.split('/').at(-2) ?? '');
  const message = `Operation cannot be fulfilled on ${resource} "x": ${text}`;
  const body = { ...status(409, 'Conflict', message), details: { name: 'x', kind: resource } };
  response.writeHead(409, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function refuse(
  response: ServerResponse,
  code: number,
  reason: string,
  message: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(code, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(status(code, reason, message)));
}

function status(code: number, reason: string, message: string): object {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, reason, code };
}
