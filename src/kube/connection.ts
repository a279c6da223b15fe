import { KubeConfig } from '@kubernetes/client-node';
import type { RequestOptions } from 'node:https';
import { isDeepStrictEqual } from 'node:util';
import { Agent } from 'undici';
import { KubeError } from './kube-error.ts';

/** Where the API server is and how to be known there. Certificates and tokens are read again for each request, so that rotated ones are taken up. */
export interface Connection {
  /** The server's address without a closing slash; it may have a path. */
  readonly server: string;
  /** The namespace of the current context; inside a pod that of its service account. */
  readonly namespace: string;
  /** What a request needs: the dispatcher holds the kept-alive connections. */
  prepare(): Promise<{ dispatcher: Agent; headers: Record<string, string> }>;
  close(): Promise<void>;
}

/** Where a connection comes from: a kubeconfig file, its text, or the service account of the pod that this runs in. */
export type ConnectionSource = { file: string } | { text: string } | 'service-account';

interface TlsMaterial {
  ca?: unknown;
  cert?: unknown;
  key?: unknown;
  servername?: string | undefined;
  rejectUnauthorized?: boolean | undefined;
}

/** Reads the source and answers a connection; nothing is sent yet. Fails with `bad_request` where the source cannot be used. */
export function openConnection(source: ConnectionSource): Connection {
  const config = loadConfig(source);
  const cluster = config.getCurrentCluster();
  if (!cluster?.server) {
    throw new KubeError('bad_request', `${describe(source)} names no cluster in its current context`);
  }
  let current: { material: TlsMaterial; agent: Agent } | undefined;

  return {
    server: cluster.server.replace(/\/+$/, ''),
    namespace: config.getContextObject(config.getCurrentContext())?.namespace ?? 'default',
    async prepare() {
      const options: RequestOptions = {};
      await config.applyToHTTPSOptions(options);
      const material = tlsMaterial(options);
      if (current === undefined || !isDeepStrictEqual(current.material, material)) {
        const old = current?.agent;
        current = { material, agent: newAgent(material) };
        await old?.close();
      }
      return { dispatcher: current.agent, headers: authHeaders(options) };
    },
    async close() {
      await current?.agent.destroy();
    },
  };
}

function loadConfig(source: ConnectionSource): KubeConfig {
  const config = new KubeConfig();
  try {
    if (source === 'service-account') config.loadFromCluster();
    else if ('file' in source) config.loadFromFile(source.file);
    else config.loadFromString(source.text);
  } catch (error) {
    throw new KubeError('bad_request', `${describe(source)} cannot be read: ${(error as Error).message}`, {
      cause: error,
    }); // client-node throws Errors only
  }
  return config;
}

function describe(source: ConnectionSource): string {
  if (source === 'service-account') return 'the service account of this pod';
  return 'file' in source ? `kubeconfig ${source.file}` : 'the given kubeconfig';
}

function tlsMaterial(options: RequestOptions): TlsMaterial {
  const { ca, cert, key, servername, rejectUnauthorized } = options;
  return { ca, cert, key, servername, rejectUnauthorized };
}

function newAgent(material: TlsMaterial): Agent {
  const given = Object.fromEntries(Object.entries(material).filter(([, value]) => value !== undefined));
  return new Agent({
    allowH2: false, // a long watch has a connection of its own; nothing waits behind another stream
    connect: { ...given, timeout: 10_000, keepAlive: true, keepAliveInitialDelay: 30_000 },
    keepAliveTimeout: 30_000,
    headersTimeout: 60_000,
    bodyTimeout: 60_000,
  });
}

function authHeaders(options: RequestOptions): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    if (value !== undefined) headers[name] = String(value).trim();
  }
  if (typeof options.auth === 'string')
    headers['Authorization'] = `Basic ${Buffer.from(options.auth).toString('base64')}`;
  return headers;
}
