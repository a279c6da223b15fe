import { pipeline } from 'node:stream/promises';
import * as z from 'zod';
import type { Guard } from '../access/guard.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { ControlPlaneError } from '../error.ts';
import { type ApiRoute, sendJson } from '../http-json.ts';
import { recordedSessionSchema } from './asciicast.ts';
import type { Recording, Recordings } from './recordings.ts';

export interface RecordingRoutesOptions {
  recordings: Pick<Recordings, 'list' | 'find' | 'read'>;
  guard: Pick<Guard, 'seesCommand'>;
  audit: Pick<AuditLog, 'add'>;
}

const recordingSchema = z.object({
  ...recordedSessionSchema.shape,
  startedAt: z.iso.datetime(),
  bytes: z.int(),
  isEnded: z.boolean().describe('Whether the session has ended'),
});

/** Most recordings in a response. */
const maxListed = 1000;

/** Time in which a client must read a part of a recording, in milliseconds. */
const unreadTimeoutMs = 30_000;

/** Returns the routes of recordings, for those who may run such programs themselves. */
export function recordingRoutes({ recordings, guard, audit }: RecordingRoutesOptions): ApiRoute[] {
  return [
    {
      method: 'GET',
      path: '/api/recordings',
      audience: 'users',
      name: 'listRecordings',
      summary: 'Lists the recordings of sessions, the newest first',
      responses: {
        200: { description: 'The recordings', schema: z.object({ recordings: z.array(recordingSchema) }) },
      },
      handler(_request, response, _id, { principal }) {
        const seen = recordings.list().filter((recording) => guard.seesCommand(principal, recording));
        sendJson(response, 200, { recordings: seen.slice(0, maxListed).map(shown) });
      },
    },
    {
      method: 'GET',
      path: '/api/commands/{key}/recording',
      audience: 'users',
      name: 'getRecording',
      summary: 'Returns the recording of a session, as asciicast v2',
      responses: { 200: { description: 'The recording', mediaType: 'application/x-asciicast' } },
      errors: ['command_not_found'],
      async handler(_request, response, key, { principal, from }) {
        const recording = recordings.find(key);
        if (!recording || !guard.seesCommand(principal, recording)) {
          throw new ControlPlaneError('command_not_found', `no recording has the key ${key}`);
        }
        const { agentId, type, namespace, releaseName } = recording;
        audit.add({
          ...{ action: 'recording read', user: principal.name, from, decision: 'allowed', outcome: 'ok' },
          ...{ key, agentId, type, namespace, releaseName },
        });
        const file = recordings.read(recording);
        response.writeHead(200, {
          'content-type': 'application/x-asciicast',
          'content-length': recording.bytes,
          'cache-control': 'no-store',
        });
        response.setTimeout(unreadTimeoutMs, () => response.destroy());
        await pipeline(file, response).catch(() => response.destroy()); // the client has gone, or the file
      },
    },
  ];
}

function shown({ startedAt, ...rest }: Recording) {
  return { ...rest, startedAt: new Date(startedAt).toISOString() };
}
