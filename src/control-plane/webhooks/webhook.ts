import * as z from 'zod';

/** The events that webhooks can get. */
const webhookEvents = [
  'command.started',
  'command.ended',
  'agent.connected',
  'agent.disconnected',
  'rollout.changed',
  'audit',
] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** A webhook as the store keeps it. Times are in milliseconds. */
export const storedWebhookSchema = z.object({
  url: z.string(),
  // as they were checked when they were stored; those of a newer version are never sent
  events: z.array(z.string()),
  /** The newest first. One that was replaced still signs until it ends. */
  secrets: z.array(z.object({ secret: z.string(), endsAt: z.number().optional() })),
  createdAt: z.number(),
  createdBy: z.string().optional(),
  /** Numbers of the last result and of the last entry of the audit log that were delivered. */
  results: z.number(),
  audit: z.number(),
  /** When the delivery of the next event has failed first. */
  failingSince: z.number().optional(),
  problem: z.string().optional(),
  isDisabled: z.boolean().optional(),
});
export type StoredWebhook = z.output<typeof storedWebhookSchema>;

/** Number of characters of a URL. */
const maxUrlLength = 2048;

/** The body of a request for a webhook. Exported for the test of all maxima. @public */
export const webhookOptionsSchema = z.strictObject({
  url: z.string().max(maxUrlLength).describe('The receiver, whose URL begins with https://'),
  events: z
    .array(z.enum(webhookEvents))
    .min(1, 'must have an item')
    .max(webhookEvents.length)
    .describe('The events that it gets'),
});
export type WebhookOptions = z.output<typeof webhookOptionsSchema>;

/** A webhook in a response, without its secrets. */
export const webhookSchema = z
  .object({
    id: z.string(),
    url: z.string(),
    events: z.array(z.string()),
    createdAt: z.iso.datetime(),
    createdBy: z.string().optional().describe('The user who has created it'),
    state: z.enum(['active', 'failing', 'disabled']).describe('A disabled one gets no events until it is enabled'),
    failingSince: z.iso.datetime().optional().describe('When the delivery of the next event has failed first'),
    problem: z.string().optional().describe('Why its last delivery has failed'),
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.output<typeof webhookSchema>;

/** Returns a webhook as users see it. */
export function shownWebhook(id: string, stored: StoredWebhook): Webhook {
  const { url, events, createdAt, createdBy, failingSince, problem, isDisabled = false } = stored;
  return {
    ...{ id, url, events: [...events], createdAt: new Date(createdAt).toISOString() },
    ...(createdBy !== undefined && { createdBy }),
    state: isDisabled ? 'disabled' : failingSince === undefined ? 'active' : 'failing',
    ...(failingSince !== undefined && { failingSince: new Date(failingSince).toISOString() }),
    ...(problem !== undefined && { problem }),
  };
}
