// The OpenAPI 3.1 document of the REST API, from the table of routes and the table of commands.
import * as z from 'zod';
import { commandAnswerSchema } from '../../protocol/commands/definition.ts';
import type { CommandTable } from '../../protocol/commands/table.ts';
import { type ErrorCode, errorCodes } from '../../protocol/error-codes.ts';
import { maxTextLength, maxTypeLength } from '../../protocol/limits.ts';
import { resultSchema } from '../../protocol/messages.ts';
import { listedCommandSchema } from '../command-list.ts';
import { commandRequestSchema } from '../command-routes.ts';
import type { ControlPlaneErrorCode } from '../error.ts';
import { type ApiRoute, type DocumentedSchema, type RouteResponse, statuses } from '../http-json.ts';

/** A JSON Schema, or another part of the document. */
type Json = Readonly<Record<string, unknown>>;

export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
}

const problemSchema = z.object({
  type: z.literal('about:blank'),
  title: z.string().describe('The text of the status'),
  status: z.int(),
  detail: z.string().describe('What is wrong and what to do'),
  code: z.string().describe('The code of the error'),
  error: z.object({ code: z.string(), message: z.string() }).describe('The same, for older clients'),
});

export interface OpenApiOptions {
  routes: readonly ApiRoute[];
  table: CommandTable;
  /** Whether responses have no fields but those that are described, for tests. Default: false. */
  isClosed?: boolean;
}

/** The schemas of a document. */
interface Components {
  readonly schemas: Record<string, Json>;
  readonly isClosed: boolean;
}

/** Returns the document. */
export function openApiDocument({ routes, table, isClosed = false }: OpenApiOptions): OpenApiDocument {
  const components: Components = { schemas: {}, isClosed };
  const { schemas } = components;
  Object.assign(schemas, commandSchemas(table, isClosed), { Problem: responseSchema(problemSchema, isClosed) });
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const { path, method } = route;
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(route, components) };
  }
  return {
    openapi: '3.1.1',
    ...{
      info: {
        title: 'helm-agent control plane',
        version: '1',
        description:
          'Sends commands to agents, and returns their results. docs/protocol.md says more about each request.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/' }],
      security: [{ token: [] }],
    },
    paths,
    components: {
      schemas,
      ...{ securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'The token of a user' } } },
    },
  };
}

const anyText = z.string().min(1);

function operationOf(route: ApiRoute, components: Components): Json {
  const { name, summary, path, body, audience } = route;
  const parameters = [
    ...Array.from(path.matchAll(/\{(\w+)\}/g), ([, parameter]) => ({
      ...{ name: parameter, in: 'path', required: true, schema: requestSchema(route.parameter ?? anyText) },
    })),
    ...parametersOf('query', route.query),
    ...parametersOf('header', route.headers),
  ];
  return {
    operationId: name,
    summary,
    ...(audience === 'anyone' && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: requestContent(body, components) } }),
    responses: responsesOf(route, components),
  };
}

function parametersOf(place: 'query' | 'header', schema: z.ZodObject | undefined): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = typeof property === 'object' ? property : {};
    return {
      ...{ name, in: place, required: required.includes(name) },
      ...(description !== undefined && { description }),
      schema: rest,
    };
  });
}

function requestContent(body: NonNullable<ApiRoute['body']>, components: Components): Json {
  if ('mediaType' in body) return { [body.mediaType]: {} };
  return { 'application/json': { schema: schemaOf(body, 'input', components) } };
}

function responsesOf(route: ApiRoute, components: Components): Json {
  const codes = Map.groupBy(errorsOf(route), (code) => statuses[code]);
  const responses: Record<string, Json> = {};
  for (const [status, response] of Object.entries(route.responses)) responses[status] = successOf(response, components);
  for (const [status, list] of codes) responses[status] = problemResponse(list, route.method);
  if (route.audience !== 'anyone') responses['500'] ??= problemResponse(['internal'], route.method);
  return responses;
}

/** Returns the codes of all errors of a route. */
function errorsOf({ audience, path, query, body, errors = [] }: ApiRoute): ControlPlaneErrorCode[] {
  if (audience === 'anyone') return [...errors];
  const isJson = body !== undefined && !('mediaType' in body);
  const common: ControlPlaneErrorCode[] = [
    'unauthenticated',
    'forbidden', // also a page of another server, for users with a cookie
    ...(query || isJson || path.includes('{') ? (['bad_request'] as const) : []),
    ...(isJson ? (['too_large', 'busy'] as const) : []),
  ];
  return [...new Set([...common, ...errors])];
}

function successOf({ description, schema, mediaType }: RouteResponse, components: Components): Json {
  const content: Record<string, Json> = {
    ...(schema && { 'application/json': { schema: schemaOf(schema, 'output', components) } }),
    ...(mediaType !== undefined && { [mediaType]: {} }),
  };
  return { description, ...(Object.keys(content).length > 0 && { content }) };
}

function problemResponse(codes: readonly ErrorCode[], method: ApiRoute['method']): Json {
  const description = codes.map((code) => `\`${code}\`: ${errorCodes[code]}`).join('\n\n');
  if (method === 'HEAD') return { description };
  const schema = {
    allOf: [{ $ref: '#/components/schemas/Problem' }, { properties: { code: { enum: codes } } }],
  };
  return { description, content: { 'application/problem+json': { schema } } };
}

/** Returns a schema; moves the named ones inside it to the components. */
function schemaOf(schema: DocumentedSchema, io: 'input' | 'output', components: Components): Json {
  if ('$ref' in schema) return schema;
  const { schemas, isClosed } = components;
  const { $defs = {}, ...rest } = io === 'input' ? requestSchema(schema) : responseSchema(schema, isClosed);
  Object.assign(schemas, withComponentReferences($defs));
  return withComponentReferences(rest) as Json; // an object stays one
}

function withComponentReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withComponentReferences);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, part]: [string, unknown]) => {
    const isReference = name === '$ref' && typeof part === 'string';
    return [name, isReference ? part.replace('#/$defs/', '#/components/schemas/') : withComponentReferences(part)];
  });
  return Object.fromEntries(entries);
}

type SchemaWithParts = Json & { readonly $defs?: Json };

function requestSchema(schema: z.ZodType): SchemaWithParts {
  return withoutDialect(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', override: widenPattern }));
}

/** Returns the schema of a response. It may get further fields, so those are not forbidden. */
function responseSchema(schema: z.ZodType, isClosed: boolean): SchemaWithParts {
  const document = z.toJSONSchema(schema, {
    io: 'output',
    unrepresentable: 'any',
    override(context) {
      widenPattern(context);
      const part = context.jsonSchema;
      if (!isClosed && part.additionalProperties === false) delete part.additionalProperties;
    },
  });
  return withoutDialect(document);
}

/** No character without a shape of its own, for regular expressions of all languages. */
const printablePattern = String.raw`^[^\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]*$`;

/** Replaces classes of Unicode, which few generators of clients know. */
function widenPattern({ jsonSchema: part }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (part.pattern?.includes(String.raw`\p{`) === true) part.pattern = printablePattern;
}

/** The dialect of OpenAPI 3.1 is the one of zod. */
function withoutDialect(schema: z.core.JSONSchema.BaseSchema): SchemaWithParts {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== '$schema'));
}

/** A payload can be sent as the text that was signed. */
const signedPayload: Json = { type: 'string', description: 'The JSON text of the payload', maxLength: maxTextLength };

/** Returns the schemas of commands, in which the type says what payload and result are. */
function commandSchemas({ definitions }: CommandTable, isClosed: boolean): Record<string, Json> {
  const all = Object.entries(definitions);
  const refer = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const request = requestSchema(commandRequestSchema)['properties'] as Json; // of an object's schema
  const schemas: Record<string, Json> = {
    CommandRequest: {
      description: 'A command, whose payload depends on its type',
      oneOf: [...all.map(([type]) => refer(`${type}.request`)), refer('other.request')],
      discriminator: {
        propertyName: 'type',
        mapping: Object.fromEntries(all.map(([type]) => [type, refer(`${type}.request`).$ref])),
      },
    },
    'other.request': {
      description: 'A command of a newer agent',
      type: 'object',
      properties: {
        ...request,
        type: { type: 'string', maxLength: maxTypeLength, not: { enum: all.map(([type]) => type) } },
      },
      required: ['type'],
    },
    Command: {
      type: 'object',
      properties: {
        ...(responseSchema(listedCommandSchema, false)['properties'] as Json), // of an object's schema
        delivered: { type: 'boolean', description: 'Whether the result is marked as delivered' },
      },
      required: ['key', 'agentId', 'type', 'state'],
      oneOf: [...all.map(([type]) => refer(`${type}.command`)), refer('other.command')],
    },
    'other.command': {
      description: 'A command of a newer agent',
      properties: {
        type: { not: { enum: all.map(([type]) => type) } },
        result: responseSchema(resultSchema, isClosed),
      },
    },
    Failure: responseSchema(resultSchema.options[1], isClosed),
  };
  for (const [type, definition] of all) {
    schemas[`${type}.payload`] = withPlainValues(requestSchema(definition.payload));
    schemas[`${type}.result`] = responseSchema(commandAnswerSchema(definition), isClosed);
    const isOptional = definition.payload.safeParse({}).success;
    schemas[`${type}.request`] = {
      description: definition.summary,
      type: 'object',
      properties: { ...request, type: { const: type }, payload: { anyOf: [refer(`${type}.payload`), signedPayload] } },
      required: ['type', ...(isOptional ? [] : ['payload'])],
    };
    schemas[`${type}.command`] = {
      description: definition.summary,
      properties: { type: { const: type }, result: { oneOf: [refer(`${type}.result`), refer('Failure')] } },
    };
  }
  return schemas;
}

/** The values of a chart can be YAML text, or plain data. */
function withPlainValues(payload: Json): Json {
  const properties = payload['properties'] as Readonly<Record<string, Json>>; // of an object's schema
  if (!properties['values']) return payload;
  const { description, ...values } = properties['values'];
  const plain = { type: ['object', 'string'] };
  return {
    ...payload,
    properties: { ...properties, values: { description, anyOf: [values, plain, { type: 'array', items: plain }] } },
  };
}
