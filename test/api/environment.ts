import { randomBytes } from 'node:crypto';
import type { ExecutionContext } from 'ava';
import { load } from 'js-yaml';
import type { KubeCluster } from '../../src/kube/cluster.ts';
import { connectCluster } from '../../src/kube/cluster.ts';
import { type Connection, openConnection } from '../../src/kube/connection.ts';
import { isKubeError, type KubeError } from '../../src/kube/kube-error.ts';
import type { KubeObject } from '../../src/objects/object.ts';

/** Access to an API server under test. */
export interface Environment {
  cluster: KubeCluster;
  /** Sends a request without the client. */
  raw: (method: string, path: string, options?: RawOptions) => Promise<RawAnswer>;
  /** Sends a request without the credentials of the kubeconfig. */
  anonymous: (method: string, path: string, headers: Record<string, string>) => Promise<RawAnswer>;
  close(): Promise<void>;
}

export interface RawOptions {
  body?: unknown;
  headers?: Record<string, string>;
}

interface RawAnswer {
  status: number;
  body: Record<string, unknown>;
  text: string;
}

/** Opens an environment for the API server of a kubeconfig. */
export function openEnvironment(kubeconfig: string, stop: () => Promise<void> = () => Promise.resolve()): Environment {
  const cluster = connectCluster({ text: kubeconfig });
  const connection = openConnection({ text: kubeconfig });
  const unauthenticated = openConnection({ text: withoutUser(kubeconfig) });
  return {
    cluster,
    raw: (method, path, options = {}) => send(connection, method, path, options),
    anonymous: (method, path, headers) => send(unauthenticated, method, path, { headers }),
    async close() {
      await cluster.close();
      await connection.close();
      await unauthenticated.close();
      await stop();
    },
  };
}

async function send(
  connection: Connection,
  method: string,
  path: string,
  { body, headers = {} }: RawOptions,
): Promise<RawAnswer> {
  const prepared = await connection.prepare();
  const response = await prepared.dispatcher.request({
    origin: new URL(connection.server).origin,
    path,
    method: method,
    headers: { 'content-type': 'application/json', ...prepared.headers, ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.body.text();
  return { status: response.statusCode, text, body: parse(text) };
}

/** Returns the kubeconfig with a user who has neither certificate nor token. */
function withoutUser(kubeconfig: string): string {
  const config = load(kubeconfig) as { users: { user: unknown }[] };
  return JSON.stringify({ ...config, users: config.users.map((entry) => ({ ...entry, user: {} })) });
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

export function uniqueName(prefix: string): string {
  return `${prefix}-${randomBytes(4).toString('hex')}`;
}

/** Creates a namespace for one test. It is deleted after the test. */
export async function newNamespace(t: ExecutionContext, { cluster }: Environment): Promise<string> {
  const name = uniqueName('api-suite');
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  t.teardown(async () => {
    await cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name });
  });
  return name;
}

/** Returns the error with which a request fails. */
export async function refusal(t: ExecutionContext, answer: Promise<unknown>): Promise<KubeError> {
  const error: unknown = await t.throwsAsync(answer);
  if (!isKubeError(error)) throw error;
  return error;
}

export function configMap(namespace: string, name: string, data: Record<string, string> = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data };
}

/** Polls until `found` returns a value. Fails after `seconds`. */
export async function eventually<T>(what: string, seconds: number, found: () => Promise<T | undefined>): Promise<T> {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const value = await found();
    if (value !== undefined) return value;
    if (performance.now() > end) throw new Error(`not within ${seconds} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
