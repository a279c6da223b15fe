import { followEvents, type ServerEvent } from './events.ts';

/** An error that the control plane has responded with. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

interface EventsOptions {
  signal: AbortSignal;
  /** Whether the stream ends after an event. Default: it never ends. */
  isLast?: (event: ServerEvent) => boolean;
  /** Called when the stream begins, and when it was cut off. */
  onConnected?: (isConnected: boolean) => void;
}

/** The REST API of the control plane. Its methods reject with `ApiError`. */
export interface Api {
  /** The caller knows what the control plane returns. */
  get<Body>(path: string, signal?: AbortSignal): Promise<Body>;
  send<Body>(method: 'POST' | 'DELETE', path: string, body?: object): Promise<Body>;
  /** Returns the bytes of a response. */
  bytes(path: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** Opens a WebSocket. */
  socket(path: string): WebSocket;
  /** Returns the events of a stream, which is opened again where it was cut off. */
  events(path: string, options: EventsOptions): AsyncGenerator<ServerEvent>;
}

export interface ApiOptions {
  /** URL of the page. */
  address: string;
  fetch: typeof fetch;
  headers: () => Record<string, string>;
  /** The subprotocols of WebSockets. */
  protocols: () => string[];
  /** Called when the control plane does not know the user any more. */
  onSignedOut: () => void;
}

export function createApi({ address, fetch: send, headers, protocols, onSignedOut }: ApiOptions): Api {
  const request = async (path: string, init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> }) => {
    const response = await send(path, { ...init, headers: { ...headers(), ...init.headers } });
    if (response.ok) return response;
    if (response.status === 401) onSignedOut();
    throw await errorOf(response);
  };
  return {
    async get<Body>(path: string, signal?: AbortSignal) {
      const response = await request(path, signal ? { signal } : {});
      return (await response.json()) as Body;
    },
    async send<Body>(method: 'POST' | 'DELETE', path: string, body?: object) {
      const content = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
      const response = await request(path, { method, ...content });
      return (await response.json()) as Body;
    },
    async bytes(path, signal) {
      const { body } = await request(path, { signal });
      return chunksOf(body);
    },
    socket(path) {
      const url = new URL(path, address);
      url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
      const socket = new WebSocket(url, protocols());
      socket.binaryType = 'arraybuffer';
      return socket;
    },
    events(path, options) {
      const open = (lastId: string, signal: AbortSignal) =>
        request(path, { signal, headers: lastId === '' ? {} : { 'last-event-id': lastId } });
      return followEvents(open, options);
    },
  };
}

/** Yields the chunks of a body. Not all browsers can iterate over it. */
async function* chunksOf(body: Response['body']): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  try {
    for (;;) {
      const chunk = await reader?.read();
      if (!chunk || chunk.done) return;
      yield chunk.value;
    }
  } finally {
    await reader?.cancel().catch(() => undefined); // it may have failed
  }
}

async function errorOf(response: Response): Promise<ApiError> {
  const problem = (await response.json().catch(() => ({}))) as { code?: unknown; detail?: unknown };
  const { code, detail } = problem;
  const message = typeof detail === 'string' ? detail : `the control plane has responded with ${response.status}`;
  return new ApiError(response.status, typeof code === 'string' ? code : 'internal', message);
}
