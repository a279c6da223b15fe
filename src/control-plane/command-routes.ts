import type { IncomingMessage } from 'node:http';
import * as z from 'zod';
import { boundedRecord } from '../protocol/bounded.ts';
import { maxDurationLength } from '../protocol/duration.ts';
import { maxEnvelopeLength, maxKeyLength, maxTextLength, maxTypeLength } from '../protocol/limits.ts';
import { maxNameLength } from '../protocol/resource.ts';
import { readTraceparent } from '../protocol/traceparent.ts';
import { validate } from '../protocol/validation.ts';
import type { Guard } from './access/guard.ts';
import type { Principal } from './access/role.ts';
import { auditOf } from './audit/audit-entry.ts';
import type { CommandIndex } from './command-index.ts';
import {
  commandPage,
  commandPageEvents,
  commandPageSchema,
  commandQuerySchema,
  listedCommand,
} from './command-list.ts';
import type { Dispatcher } from './dispatcher.ts';
import { ControlPlaneError } from './error.ts';
import { type EventStreams, lastEventId, lastEventIdHeader } from './event-stream.ts';
import { type ApiRoute, readBody, readJson, readQuery, type RequestBodies, sendJson } from './http-json.ts';
import type { CommandStreams } from './streams/command-streams.ts';
import { streamHandler } from './streams/stream-handler.ts';
import type { Token } from './token.ts';
import type { TrackedCommand } from './tracked-command.ts';

export interface CommandRoutesOptions {
  commands: Pick<CommandIndex, 'get' | 'newestFirst' | 'version'>;
  streams: CommandStreams;
  dispatcher: Pick<Dispatcher, 'send'>;
  guard: Pick<Guard, 'requireVisible' | 'seesCommand'>;
  bodies: RequestBodies;
  events: EventStreams;
  /** The API token, if there is one. */
  token: Token | undefined;
}

/** Number of fields of a payload, of which commands have fewer. */
const maxPayloadFields = 1000;

/** The body of a new command. Exported for the test of all maxima. @public */
export const commandRequestSchema = z.object({
  type: z.string().max(maxTypeLength),
  payload: z
    .union([boundedRecord(z.string().max(maxNameLength), z.unknown(), maxPayloadFields), z.string().max(maxTextLength)])
    .optional(),
  envelope: z.string().min(1).max(maxEnvelopeLength).optional(),
  key: z.string().min(1).max(maxKeyLength).optional(),
  deliverWithin: z.union([z.string().max(maxDurationLength), z.number(), z.literal(false)]).optional(),
});

const sendHeaders = z.object({
  'idempotency-key': z.string().max(maxKeyLength).optional().describe('The key of the command, if the body has none'),
  traceparent: z.string().optional().describe('The span of W3C Trace Context that sends the command'),
});

const commandSchema = { $ref: '#/components/schemas/Command' } as const;

/** Returns the routes about commands. */
export function commandRoutes(options: CommandRoutesOptions): ApiRoute[] {
  const { commands, streams, dispatcher, guard, bodies, events, token } = options;
  const commandOf = (principal: Principal, key: string): TrackedCommand => {
    guard.requireVisible(principal, key);
    const command = commands.get(key);
    if (!command) throw new ControlPlaneError('command_not_found', `no command has the key ${key}`);
    return command;
  };
  const about = { audience: 'users', errors: ['command_not_found'] } as const;
  return [
    {
      method: 'POST',
      path: '/api/agents/{agentId}/commands',
      audience: 'users',
      name: 'sendCommand',
      summary: 'Sends a command to an agent',
      headers: sendHeaders,
      body: { $ref: '#/components/schemas/CommandRequest' },
      responses: { 202: { description: 'The command is stored', schema: commandSchema } },
      errors: [
        ...(['agent_not_connected', 'unknown_command', 'command_not_found', 'chart_not_found'] as const),
        ...(['key_reused', 'forbidden', 'store_unavailable'] as const),
      ],
      async handler(request, response, agentId, { principal, note }) {
        const body = readBody(commandRequestSchema, await readJson(request, bodies));
        const command = dispatcher.send(agentId, {
          ...{ ...body, key: keyOf(request, body), principal },
          // by W3C Trace Context, one that is not valid counts as absent
          traceparent: readTraceparent(request.headers['traceparent']),
        });
        note(auditOf(command));
        await command.stored;
        sendJson(response, 202, await commandBody(command));
      },
    },
    {
      method: 'GET',
      path: '/api/commands',
      audience: 'users',
      name: 'listCommands',
      summary: 'Lists the commands that are kept, the newest first',
      query: commandQuerySchema,
      responses: { 200: { description: 'A page, which may be short or empty', schema: commandPageSchema } },
      handler({ url }, response, _id, { principal }) {
        const query = readQuery(commandQuerySchema, url);
        const page = commandPage(commands.newestFirst(), query, (record) => guard.seesCommand(principal, record));
        sendJson(response, 200, page);
      },
    },
    {
      method: 'GET',
      path: '/api/command-events',
      audience: 'users',
      name: 'streamCommands',
      summary: 'Streams a page of the commands that are kept, again each time it changes',
      query: commandQuerySchema,
      responses: {
        200: { description: 'Events `commands`, each with the whole page', mediaType: 'text/event-stream' },
      },
      async handler(request, response, _id, user) {
        const query = readQuery(commandQuerySchema, request.url);
        const page = () =>
          commandPage(commands.newestFirst(), query, (record) => guard.seesCommand(user.principal, record));
        page(); // a cursor that is not valid is refused before the stream begins
        const version = () => commands.version;
        await events.send(request, response, user, (signal) => commandPageEvents({ page, version, signal }));
      },
    },
    {
      ...about,
      method: 'GET',
      path: '/api/commands/{key}',
      name: 'getCommand',
      summary: 'Returns a command, and its result if it has one',
      errors: ['command_not_found', 'store_unavailable'],
      responses: { 200: { description: 'The command', schema: commandSchema } },
      handler: async (_request, response, key, { principal }) =>
        sendJson(response, 200, await knownCommandBody(commandOf(principal, key))),
    },
    {
      ...about,
      method: 'GET',
      path: '/api/commands/{key}/events',
      name: 'streamEvents',
      summary: 'Streams the events of a command, up to its result',
      headers: lastEventIdHeader,
      responses: { 200: { description: 'The events of the command', mediaType: 'text/event-stream' } },
      async handler(request, response, key, user) {
        const command = commandOf(user.principal, key);
        const id = lastEventId(request) ?? 0;
        await events.send(request, response, user, (signal) => command.eventsAfter(id, signal));
      },
    },
    {
      method: 'GET',
      path: '/api/commands/{key}/stream',
      audience: 'users',
      name: 'openStream',
      summary: 'Returns what the agent writes into the stream of a command',
      responses: { 200: { description: 'The bytes of the agent', mediaType: 'application/octet-stream' } },
      errors: ['command_not_found', 'forbidden', 'unsupported', 'stream_taken', 'stream_ended'],
      handler: streamHandler({ streams, commandOf, token }),
    },
  ];
}

/** Returns the key of a new command, which the header `Idempotency-Key` can have. */
function keyOf({ headers }: IncomingMessage, { key }: { key?: string | undefined }): string | undefined {
  const header = headers['idempotency-key'];
  if (header === undefined) return key;
  const given = String(header).replace(/^"([^"\\]*)"$/, '$1');
  const validated = validate(commandRequestSchema.shape.key, given, 'Idempotency-Key');
  if ('problems' in validated) throw new ControlPlaneError('bad_request', validated.problems.join('; '));
  if (key === undefined || key === given) return given;
  throw new ControlPlaneError('bad_request', 'the key of the body and Idempotency-Key differ; send one of them');
}

/** Returns a command that was sent before, with its sender and its release. */
async function knownCommandBody(command: TrackedCommand) {
  return { ...listedCommand(command.record), ...(await commandBody(command)) };
}

async function commandBody(command: TrackedCommand) {
  const { key, agentId, type, state } = command;
  if (state !== 'done') return { key, agentId, type, state };
  const result = await command.outcomeAtOnce();
  return { key, agentId, type, state, delivered: command.record.end?.isDelivered ?? false, result };
}
