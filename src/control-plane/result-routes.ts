import * as z from 'zod';
import type { Guard } from './access/guard.ts';
import type { CommandIndex } from './command-index.ts';
import { type EventStreams, lastEventId, lastEventIdHeader } from './event-stream.ts';
import { type ApiRoute, readBody, readJson, type RequestBodies, sendJson } from './http-json.ts';
import type { Logger } from './logger.ts';
import type { CommandOutcome } from './result-feed.ts';

export interface ResultRoutesOptions {
  commands: Pick<CommandIndex, 'get' | 'results' | 'stored'>;
  guard: Pick<Guard, 'seesCommand'>;
  bodies: RequestBodies;
  events: EventStreams;
  log: Logger;
}

const acknowledgementSchema = z.object({
  upTo: z.int().nonnegative().describe('Id of the last result that was processed'),
});

/** Returns the routes of the results of all commands. */
export function resultRoutes({ commands, guard, bodies, events, log }: ResultRoutesOptions): ApiRoute[] {
  return [
    {
      method: 'GET',
      path: '/api/results',
      audience: 'users',
      name: 'streamResults',
      summary: 'Streams the results of all commands',
      headers: lastEventIdHeader,
      responses: { 200: { description: 'Events `result`, which continue', mediaType: 'text/event-stream' } },
      async handler(request, response, _id, user) {
        const id = lastEventId(request);
        const isSeen = ({ key }: CommandOutcome) => {
          const record = commands.get(key)?.record;
          return record !== undefined && guard.seesCommand(user.principal, record);
        };
        await events.send(request, response, user, (signal) => eventsOf(commands.results.after(id, signal), isSeen));
      },
    },
    {
      method: 'POST',
      path: '/api/results/ack',
      name: 'acknowledgeResults',
      summary: 'Marks the results up to an id as delivered',
      body: acknowledgementSchema,
      responses: { 200: { description: 'They are marked', schema: acknowledgementSchema } },
      errors: ['store_unavailable'],
      async handler(request, response, _id, { principal: { name: sentBy } }) {
        const { upTo } = readBody(acknowledgementSchema, await readJson(request, bodies));
        await commands.stored();
        commands.results.markDelivered(upTo);
        await commands.stored();
        log.info({ upTo, sentBy }, 'results acknowledged');
        sendJson(response, 200, { upTo });
      },
    },
  ];
}

async function* eventsOf(results: AsyncIterable<CommandOutcome>, isSeen: (outcome: CommandOutcome) => boolean) {
  for await (const outcome of results) {
    const { id, ...payload } = outcome;
    if (isSeen(outcome)) yield { id, type: 'result', payload };
  }
}
