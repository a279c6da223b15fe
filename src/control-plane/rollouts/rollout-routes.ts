import * as z from 'zod';
import { type EventStreams, lastEventIdHeader } from '../event-stream.ts';
import {
  type ApiRoute,
  type Handler,
  readBody,
  readJson,
  readQuery,
  type RequestBodies,
  type Requester,
  sendJson,
} from '../http-json.ts';
import { type RolloutOptions, rolloutSpecSchema } from './rollout-spec.ts';
import { clusterViewSchema, planGroupViewSchema, type RolloutView, rolloutViewSchema } from './rollout-view.ts';
import type { Rollouts } from './rollouts.ts';

export interface RolloutRoutesOptions {
  rollouts: Rollouts;
  bodies: RequestBodies;
  events: EventStreams;
}

const approvalSchema = z.union([
  z.strictObject({ wave: z.int().positive() }),
  z.strictObject({ groups: z.array(z.string().max(64)).min(1).max(1000).describe('Ids of groups of plans') }),
]);
const planGroupsSchema = z.object({ groups: z.array(planGroupViewSchema) });
const abortSchema = z.strictObject({ undo: z.boolean().default(false) });

const pageLength = 500;

const pageSchema = z.strictObject({
  continue: z
    .string()
    .regex(/^\d{1,9}$/, 'must be the value of the page before')
    .transform(Number)
    .default(0)
    .describe('The `continue` of the page before'),
});
const clusterPageSchema = z.object({ clusters: z.array(clusterViewSchema), continue: z.string().optional() });

/** Returns the routes about rollouts. `Rollouts` decides what their users may do. */
export function rolloutRoutes({ rollouts, bodies, events }: RolloutRoutesOptions): ApiRoute[] {
  const decision =
    (decide: (id: string, user: Requester, body: () => Promise<unknown>) => Promise<RolloutView>): Handler =>
    async (request, response, id, user) =>
      sendJson(response, 200, await decide(id, user, () => readJson(request, bodies)));
  return [
    {
      method: 'GET',
      path: '/api/rollouts',
      audience: 'users',
      name: 'listRollouts',
      summary: 'Lists the rollouts, the newest first',
      responses: { 200: { description: 'The rollouts', schema: z.object({ rollouts: z.array(rolloutViewSchema) }) } },
      handler: (_request, response, _id, { principal }) =>
        sendJson(response, 200, { rollouts: rollouts.list(principal) }),
    },
    {
      method: 'GET',
      path: '/api/rollout-events',
      audience: 'users',
      name: 'streamRollouts',
      summary: 'Streams the rollouts, and those that change',
      responses: {
        200: {
          description: 'Events `rollouts` and `forgotten`; `ready` comes when all rollouts were sent',
          mediaType: 'text/event-stream',
        },
      },
      handler: (request, response, _id, user) =>
        events.send(request, response, user, (signal) => rollouts.listEvents(user.principal, signal)),
    },
    {
      method: 'POST',
      path: '/api/rollouts',
      audience: 'users',
      name: 'startRollout',
      summary: 'Starts a rollout, or returns the one that has its id',
      body: rolloutSpecSchema,
      errors: ['rollout_conflict', 'agent_not_found', 'chart_not_found', 'forbidden', 'store_unavailable'],
      responses: { 202: { description: 'The rollout is stored', schema: rolloutViewSchema } },
      async handler(request, response, _id, { principal }) {
        const options = (await readJson(request, bodies)) as RolloutOptions; // start() reads it
        sendJson(response, 202, await rollouts.start(options, principal));
      },
    },
    {
      method: 'GET',
      path: '/api/rollouts/{id}',
      audience: 'users',
      name: 'getRollout',
      summary: 'Returns a rollout',
      errors: ['rollout_not_found'],
      responses: { 200: { description: 'The rollout', schema: rolloutViewSchema } },
      handler: (_request, response, id, { principal }) => sendJson(response, 200, rollouts.get(id, principal)),
    },
    {
      method: 'DELETE',
      path: '/api/rollouts/{id}',
      audience: 'users',
      name: 'deleteRollout',
      summary: 'Deletes a rollout that has ended',
      errors: ['rollout_not_found', 'rollout_conflict', 'forbidden', 'store_unavailable'],
      responses: { 200: { description: 'It is deleted', schema: z.object({ id: z.string() }) } },
      async handler(_request, response, id, { principal }) {
        await rollouts.delete(id, principal);
        sendJson(response, 200, { id });
      },
    },
    {
      method: 'GET',
      path: '/api/rollouts/{id}/clusters',
      audience: 'users',
      name: 'listRolloutClusters',
      summary: 'Lists the clusters of a rollout, by wave',
      query: pageSchema,
      errors: ['rollout_not_found'],
      responses: { 200: { description: 'A page of the clusters', schema: clusterPageSchema } },
      handler({ url }, response, id, { principal }) {
        const { continue: from } = readQuery(pageSchema, url);
        const all = rollouts.clusters(id, principal);
        const next = from + pageLength < all.length ? { continue: String(from + pageLength) } : {};
        sendJson(response, 200, { clusters: all.slice(from, from + pageLength), ...next });
      },
    },
    {
      method: 'GET',
      path: '/api/rollouts/{id}/plans',
      audience: 'users',
      name: 'listRolloutPlans',
      summary: 'Lists the different plans of a rollout, those that wait for an approval first',
      errors: ['rollout_not_found'],
      responses: { 200: { description: 'The groups of plans that would change the same', schema: planGroupsSchema } },
      handler: (_request, response, id, { principal }) =>
        sendJson(response, 200, { groups: rollouts.plans(id, principal) }),
    },
    {
      method: 'GET',
      path: '/api/rollouts/{id}/events',
      audience: 'users',
      name: 'streamRollout',
      summary: 'Streams the changes of a rollout',
      headers: lastEventIdHeader,
      errors: ['rollout_not_found'],
      responses: { 200: { description: 'Events of the rollout', mediaType: 'text/event-stream' } },
      async handler(request, response, id, user) {
        rollouts.get(id, user.principal);
        await events.send(request, response, user, (signal) => rollouts.events(id, user.principal, signal));
      },
    },
    {
      method: 'POST',
      path: '/api/rollouts/{id}/pause',
      audience: 'users',
      name: 'pauseRollout',
      summary: 'Lets no more clusters begin',
      errors: ['rollout_not_found', 'rollout_conflict', 'forbidden', 'store_unavailable'],
      responses: { 200: { description: 'The rollout', schema: rolloutViewSchema } },
      handler: decision((id, user) => rollouts.pause(id, user.principal)),
    },
    {
      method: 'POST',
      path: '/api/rollouts/{id}/resume',
      audience: 'users',
      name: 'resumeRollout',
      summary: 'Continues a rollout that is paused',
      errors: ['rollout_not_found', 'rollout_conflict', 'forbidden', 'store_unavailable'],
      responses: { 200: { description: 'The rollout', schema: rolloutViewSchema } },
      handler: decision((id, user) => rollouts.resume(id, user.principal)),
    },
    {
      method: 'POST',
      path: '/api/rollouts/{id}/retry',
      audience: 'users',
      name: 'retryRollout',
      summary: 'Tries the clusters again that have failed',
      errors: ['rollout_not_found', 'rollout_conflict', 'forbidden', 'store_unavailable'],
      responses: { 200: { description: 'The rollout', schema: rolloutViewSchema } },
      handler: decision((id, user) => rollouts.retry(id, user.principal)),
    },
    {
      method: 'POST',
      path: '/api/rollouts/{id}/approve',
      audience: 'users',
      name: 'approveRollout',
      summary: 'Lets a wave begin, or plans be performed',
      body: approvalSchema,
      errors: ['rollout_not_found', 'rollout_conflict', 'forbidden', 'store_unavailable'],
      responses: { 200: { description: 'The rollout', schema: rolloutViewSchema } },
      handler: decision(async (id, { principal }, body) => {
        rollouts.get(id, principal);
        const approved = readBody(approvalSchema, await body());
        if ('groups' in approved) return await rollouts.approvePlans(id, approved.groups, principal);
        return await rollouts.approve(id, approved.wave, principal);
      }),
    },
    {
      method: 'POST',
      path: '/api/rollouts/{id}/abort',
      audience: 'users',
      name: 'abortRollout',
      summary: 'Ends a rollout',
      body: abortSchema,
      errors: ['rollout_not_found', 'rollout_conflict', 'forbidden', 'store_unavailable'],
      responses: { 200: { description: 'The rollout', schema: rolloutViewSchema } },
      handler: decision(async (id, { principal }, body) => {
        rollouts.get(id, principal);
        return await rollouts.abort(id, readBody(abortSchema, await body()), principal);
      }),
    },
  ];
}
