import * as z from 'zod';
import type { ApiClientOptions } from '../api-client.ts';
import { openEvents, post, read, request } from '../api-request.ts';

// stages and phases are open: a newer control plane may have more of them
const countsSchema = z.record(z.string(), z.int());

const clusterSchema = z.looseObject({
  ...{ agentId: z.string(), wave: z.int(), stage: z.string(), revision: z.int().optional() },
  failure: z.object({ code: z.string(), message: z.string() }).optional(),
  plan: z.string().optional(),
  group: z.string().optional(),
});
/** A cluster of a rollout. */
export type RolloutCluster = z.output<typeof clusterSchema>;

const groupSchema = z.looseObject({
  ...{ id: z.string(), clusters: z.int(), action: z.string(), chart: z.string().optional() },
  counts: countsSchema,
  approvedBy: z.string().optional(),
});

const planGroupSchema = groupSchema.extend({ ...{ agentId: z.string(), plan: z.string() }, changes: z.unknown() });
/** Plans of clusters that would change the same. */
export type RolloutPlanGroup = z.output<typeof planGroupSchema>;

const rolloutSchema = z.looseObject({
  ...{ id: z.string(), type: z.string(), phase: z.string(), reason: z.string().optional() },
  ...{ releaseName: z.string().optional(), namespace: z.string().optional(), chart: z.string().optional() },
  ...{ wave: z.int(), waveStage: z.string(), awaitsApproval: z.boolean().default(false) },
  ...{ soaksUntil: z.string().optional(), createdAt: z.string(), startedBy: z.string().optional() },
  clusters: countsSchema,
  waves: z.array(z.looseObject({ number: z.int(), clusters: countsSchema })),
  problems: z.array(clusterSchema),
  groups: z.array(groupSchema).optional(),
  groupCount: z.int().optional(),
});
/** A rollout, as the control plane shows it. */
export type RolloutSummary = z.output<typeof rolloutSchema>;

const planGroupsSchema = z.object({ groups: z.array(planGroupSchema) });
const rolloutsSchema = z.object({ rollouts: z.array(rolloutSchema) });
const clusterPageSchema = z.object({ clusters: z.array(clusterSchema), continue: z.string().optional() });

const eventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('rollout'), payload: rolloutSchema }),
  z.object({ type: z.literal('cluster'), payload: clusterSchema }),
]);
/** A change of a rollout, or of one of its clusters. */
type RolloutChange = z.output<typeof eventSchema>;

/** A decision about a rollout, and its details. */
export type RolloutDecision =
  | { readonly action: 'pause' | 'resume' | 'retry' }
  | { readonly action: 'approve'; readonly wave: number }
  | { readonly action: 'approve'; readonly groups: readonly string[] }
  | { readonly action: 'abort'; readonly undo: boolean };

/** The part of the REST API about rollouts. Its methods reject with `ApiError`. */
export interface RolloutClient {
  start(spec: object, signal: AbortSignal): Promise<RolloutSummary>;
  list(signal: AbortSignal): Promise<RolloutSummary[]>;
  get(id: string, signal: AbortSignal): Promise<RolloutSummary>;
  /** Returns all clusters of a rollout, by wave. */
  clusters(id: string, signal: AbortSignal): Promise<RolloutCluster[]>;
  /** Returns the different plans, those that wait for an approval first. */
  plans(id: string, signal: AbortSignal): Promise<RolloutPlanGroup[]>;
  decide(id: string, decision: RolloutDecision, signal: AbortSignal): Promise<RolloutSummary>;
  delete(id: string, signal: AbortSignal): Promise<void>;
  /**
   * Yields the rollout and its clusters as they are, and each time they change.
   *
   * @param onOpen is called when the control plane responds
   */
  changes(id: string, signal: AbortSignal, onOpen?: () => void): AsyncGenerator<RolloutChange>;
}

export function createRolloutClient(given: ApiClientOptions): RolloutClient {
  const options = { ...given, server: given.server.replace(/(?<!\/)\/+$/, '') };
  const { server } = options;
  const get = (path: string, signal: AbortSignal) => request(options, path, { signal });
  const pathOf = (id: string) => `/api/rollouts/${encodeURIComponent(id)}`;
  return {
    async start(spec, signal) {
      return await read(rolloutSchema, await post(options, '/api/rollouts', spec, signal), server);
    },
    async list(signal) {
      return (await read(rolloutsSchema, await get('/api/rollouts', signal), server)).rollouts;
    },
    async get(id, signal) {
      return await read(rolloutSchema, await get(pathOf(id), signal), server);
    },
    async clusters(id, signal) {
      const all: RolloutCluster[] = [];
      for (let next: string | undefined = '0'; next !== undefined;) {
        const response = await get(`${pathOf(id)}/clusters?continue=${encodeURIComponent(next)}`, signal);
        const page: z.output<typeof clusterPageSchema> = await read(clusterPageSchema, response, server);
        all.push(...page.clusters);
        next = page.clusters.length === 0 ? undefined : page.continue;
      }
      return all;
    },
    async plans(id, signal) {
      return (await read(planGroupsSchema, await get(`${pathOf(id)}/plans`, signal), server)).groups;
    },
    async decide(id, { action, ...body }, signal) {
      return await read(rolloutSchema, await post(options, `${pathOf(id)}/${action}`, body, signal), server);
    },
    async delete(id, signal) {
      await request(options, pathOf(id), { method: 'DELETE', signal });
    },
    async *changes(id, signal, onOpen) {
      for await (const { event, data } of openEvents(options, `${pathOf(id)}/events`, { signal, onOpen })) {
        const parsed = eventSchema.safeParse({ type: event, payload: JSON.parse(data) as unknown });
        if (parsed.success) yield parsed.data; // events of other types come from a newer control plane
      }
    },
  };
}
