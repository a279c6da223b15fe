import type { IncomingMessage } from 'node:http';
import { namesThisServer } from '../net/request-host.ts';
import type { Decision } from '../net/websocket-server.ts';
import { keySubprotocol, subprotocol } from '../protocol/subprotocol.ts';
import type { AgentSocket } from './agent-registry.ts';
import type { Arrivals } from './arrivals.ts';
import type { AgentKeys } from './enrolment/agent-keys.ts';
import { serveProof, type ServeProofOptions } from './enrolment/serve-proof.ts';
import type { Authenticate } from './identity.ts';

export interface AgentHandshakeOptions extends Omit<ServeProofOptions, 'keys' | 'onProved'> {
  authenticate: Authenticate | undefined;
  keys: Pick<AgentKeys, 'audience' | 'judge' | 'has'>;
  /** Returns the host that the server listens on if agents without credentials are served. */
  openHost: () => string | undefined;
  /** Whether the packets of an agent would wait in memory. */
  isBehind: () => boolean;
  /** How many agents may connect now. */
  arrivals: Pick<Arrivals, 'wait' | 'add'>;
  /** Is given the connection of each agent that may stay. */
  trust: (socket: IncomingMessage['socket']) => void;
  serve: (agent: AgentSocket) => void;
}

/** Time for the store to catch up, in seconds. */
const retryWhenBehind = 5;

export interface AgentHandshake {
  /** Decides about a WebSocket handshake. */
  decide: (request: IncomingMessage) => Promise<Decision>;
  /** Closes the connections of agents that have not proved their keys. */
  close: () => void;
}

/** Returns the first part of the connections of agents, up to the proof of who they are. */
export function agentHandshake(options: AgentHandshakeOptions): AgentHandshake {
  const { authenticate, keys, openHost, isBehind, arrivals, trust } = options;
  const serve: typeof options.serve = (agent) => {
    arrivals.add();
    options.serve(agent);
  };
  /** Returns why an agent without a key is refused; undefined if it needs no credential. */
  const refusalOfStranger = (request: IncomingMessage): string | undefined => {
    const host = authenticate ? undefined : openHost();
    if (host === undefined) return '401 Unauthorized';
    return namesThisServer(request, host) ? undefined : '403 Forbidden';
  };
  const proving = new Set<() => void>();
  const decide: AgentHandshake['decide'] = async (request) => {
    const { headers, socket: connection } = request;
    const offered = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim()) ?? [];
    const hasKey = offered.includes(keySubprotocol);
    if (!hasKey && !offered.includes(subprotocol)) return { refuse: '400 Bad Request' };
    const identity = hasKey ? undefined : await authenticate?.(request);
    const refusal = hasKey || identity ? undefined : refusalOfStranger(request);
    if (refusal !== undefined) return { refuse: refusal };
    // An agent sends no Origin; a web page in a browser does.
    if (headers.origin !== undefined) return { refuse: '403 Forbidden' };
    const retryAfter = isBehind() ? retryWhenBehind : arrivals.wait();
    if (retryAfter !== undefined) return { refuse: '503 Service Unavailable', retryAfter };
    // it has to prove its key
    if (identity && keys.has(identity.agentId)) return { refuse: '401 Unauthorized' };
    if (!hasKey) {
      trust(connection);
      return { serve: (socket, stream) => serve({ socket, stream, identity }) };
    }
    return {
      serve(socket, stream) {
        const end = () => proving.delete(close);
        const onProved: ServeProofOptions['onProved'] = (proved) => {
          end();
          trust(connection);
          serve({ socket, stream, identity: proved });
        };
        const close = serveProof(socket, stream, { ...options, onProved });
        proving.add(close);
        socket.once('close', end);
      },
    };
  };
  return {
    decide,
    close() {
      for (const close of proving) close();
    },
  };
}
