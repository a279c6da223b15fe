import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from 'node:http';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { ExecutionContext } from 'ava';
import { apiDocument } from '../../../tools/openapi.ts';

interface StartedRequest {
  request: IncomingMessage;
  response: ServerResponse;
  server: Server;
}

/** A response. */
interface Sent {
  status: number;
  type: string;
  body: string;
}

type Check = (method: string, path: string, sent: Sent) => string | undefined;

const channel = 'http.server.request.start';

let shared: Check | undefined;

/** Fails the test if a response of the server on a port differs from the OpenAPI document. */
export function checkResponses(t: ExecutionContext, port: number): void {
  const all: { method: string; path: string; sent: Sent }[] = [];
  const onStart = (message: unknown) => {
    const { request, response, server } = message as StartedRequest; // as Node documents it
    const address = server.address();
    if (address === null || typeof address === 'string' || address.port !== port) return;
    const { method = '', url = '' } = request;
    const sent = record(response);
    response.once('finish', () => all.push({ method, path: url.split('?')[0] ?? '', sent: sent() }));
  };
  subscribe(channel, onStart);
  t.teardown(() => {
    unsubscribe(channel, onStart);
    shared ??= createCheck(); // afterwards, because schemas take time to compile
    for (const { method, path, sent } of all) {
      const problem = shared(method, path, sent);
      if (problem === undefined) continue;
      throw new Error(`${method} ${path} differs from schema/openapi.json: ${sent.status} ${problem}`);
    }
  });
}

/** Records what is sent, and returns a function that returns it. */
function record(response: ServerResponse): () => Sent {
  const chunks: Buffer[] = [];
  let headers: OutgoingHttpHeaders = {};
  const wrap = (name: 'write' | 'end' | 'writeHead', onCall: (values: readonly unknown[]) => void) => {
    const original = response[name].bind(response) as (...values: unknown[]) => unknown;
    const recorded = (...values: unknown[]) => {
      onCall(values);
      return original(...values);
    };
    Object.assign(response, { [name]: recorded });
  };
  const addChunk = ([chunk]: readonly unknown[]) => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk as Uint8Array));
  };
  wrap('write', addChunk);
  wrap('end', addChunk);
  // headers that are given to writeHead are not those of getHeader
  wrap('writeHead', (values) => (headers = (values.at(-1) ?? {}) as OutgoingHttpHeaders));
  return () => ({
    status: response.statusCode,
    type: String(headers['content-type'] ?? response.getHeader('content-type') ?? ''),
    body: Buffer.concat(chunks).toString(),
  });
}

function createCheck(): Check {
  const document = apiDocument({ isClosed: true });
  const ajv = new Ajv2020({ strict: false, validateSchema: false });
  addFormats.default(ajv);
  const { schemas } = document.components;
  const anyCommand = { ...schemas['Command'], oneOf: [{}] };
  ajv.addSchema({ ...document, components: { schemas: { ...schemas, Command: anyCommand } } }, 'api');
  const problemOf = (pointer: string, value: unknown) => {
    const validate = ajv.getSchema(`api#/${pointer}`);
    return validate?.(value) === true ? undefined : `does not fit: ${ajv.errorsText(validate?.errors?.slice(0, 5))}`;
  };
  const templates = Object.keys(document.paths).map((template) => ({
    template,
    pattern: new RegExp(`^${template.replaceAll('.', String.raw`\.`).replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }));
  return (method, path, { status, type, body }) => {
    const template = templates.find(({ pattern }) => pattern.test(path))?.template;
    if (template === undefined)
      return !path.startsWith('/api/') || [401, 404].includes(status) ? undefined : 'is not documented';
    const operation = document.paths[template]?.[method.toLowerCase()];
    if (!operation) return [401, 403, 405].includes(status) ? undefined : 'is not documented';
    const responses = operation['responses'] as Record<string, { content?: Record<string, { schema?: object }> }>;
    const documented = responses[String(status)];
    if (!documented) return `is not documented; there are ${Object.keys(responses).join(', ')}`;
    if (!documented.content) return method === 'HEAD' || body === '' ? undefined : 'has a body';
    const content = documented.content[type];
    if (!content) return `has the content type ${type}`;
    if (!content.schema) return undefined;
    const value: unknown = JSON.parse(body);
    const place = ['paths', template, method.toLowerCase(), 'responses', String(status), 'content', type, 'schema'];
    const problem = problemOf(place.map(escapePointer).join('/'), value);
    if (problem !== undefined || !JSON.stringify(content.schema).endsWith('/Command"}')) return problem;
    const { type: command } = value as { type: string };
    // only the schema of its own type, because all of them take a second to compile
    return problemOf(`components/schemas/${schemas[`${command}.command`] ? command : 'other'}.command`, value);
  };
}

/** Returns a part of a JSON pointer in a URL. */
function escapePointer(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}
