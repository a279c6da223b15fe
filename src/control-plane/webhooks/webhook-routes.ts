import * as z from 'zod';
import type { ActingUser } from '../access/acting-user.ts';
import type { Guard } from '../access/guard.ts';
import type { Principal } from '../access/role.ts';
import { whenClientGone } from '../client-gone.ts';
import { type ApiRoute, readBody, readJson, type RequestBodies, sendJson } from '../http-json.ts';
import { webhookOptionsSchema, webhookSchema } from './webhook.ts';
import type { Webhooks } from './webhooks.ts';

export interface WebhookRoutesOptions {
  guard: Pick<Guard, 'requireAdministrator'>;
  webhooks: Webhooks;
  bodies: RequestBodies;
}

const createdSchema = z.object({ ...webhookSchema.shape, secret: z.string().describe('Verifies the signatures') });

const testedSchema = z.union([
  z.object({ status: z.int().describe('The status of the response') }),
  z.object({ problem: z.string().describe('Why there is no response') }),
]);

/** Returns the routes of webhooks, which are for administrators. */
export function webhookRoutes({ guard, webhooks, bodies }: WebhookRoutesOptions): ApiRoute[] {
  const acting = (principal: Principal): ActingUser => ({
    name: principal.name,
    requireAllowed: () => guard.requireAdministrator(principal),
  });
  const errors = ['webhook_not_found', 'store_unavailable'] as const;
  return [
    {
      method: 'GET',
      path: '/api/webhooks',
      name: 'listWebhooks',
      summary: 'Lists the webhooks',
      responses: {
        200: { description: 'The webhooks, the oldest first', schema: z.object({ webhooks: z.array(webhookSchema) }) },
      },
      handler: (_request, response) => sendJson(response, 200, { webhooks: webhooks.list() }),
    },
    {
      method: 'POST',
      path: '/api/webhooks',
      name: 'createWebhook',
      summary: 'Creates a webhook, which gets the events from now on',
      body: webhookOptionsSchema,
      responses: {
        201: { description: 'The webhook, with its secret, which is not shown again', schema: createdSchema },
      },
      errors: ['store_unavailable'],
      async handler(request, response, _id, { principal, note }) {
        const options = readBody(webhookOptionsSchema, await readJson(request, bodies));
        const created = await webhooks.create(options, acting(principal));
        note({ webhookId: created.id });
        sendJson(response, 201, created);
      },
    },
    {
      method: 'DELETE',
      path: '/api/webhooks/{id}',
      name: 'deleteWebhook',
      summary: 'Deletes a webhook',
      responses: { 200: { description: 'The webhook that is deleted', schema: webhookSchema } },
      errors,
      async handler(_request, response, id, { note }) {
        note({ webhookId: id });
        sendJson(response, 200, await webhooks.delete(id));
      },
    },
    {
      method: 'POST',
      path: '/api/webhooks/{id}/rotate',
      name: 'rotateWebhook',
      summary: 'Gives a webhook another secret; the one before also signs for a day',
      responses: {
        200: { description: 'The webhook, with its secret, which is not shown again', schema: createdSchema },
      },
      errors,
      async handler(request, response, id, { principal, note }) {
        request.resume();
        note({ webhookId: id });
        sendJson(response, 200, await webhooks.rotate(id, acting(principal)));
      },
    },
    {
      method: 'POST',
      path: '/api/webhooks/{id}/enable',
      name: 'enableWebhook',
      summary: 'Continues the deliveries of a webhook that was disabled',
      responses: { 200: { description: 'The webhook', schema: webhookSchema } },
      errors,
      async handler(request, response, id, { principal, note }) {
        request.resume();
        note({ webhookId: id });
        sendJson(response, 200, await webhooks.enable(id, acting(principal)));
      },
    },
    {
      method: 'POST',
      path: '/api/webhooks/{id}/test',
      name: 'testWebhook',
      summary: 'Sends a test event once, and returns the response of the receiver',
      responses: { 200: { description: 'The outcome', schema: testedSchema } },
      errors: ['webhook_not_found'],
      async handler(request, response, id, { note }) {
        request.resume();
        note({ webhookId: id });
        const gone = whenClientGone(response);
        sendJson(response, 200, await webhooks.test(id, gone.signal));
      },
    },
  ];
}
