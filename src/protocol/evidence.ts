import * as z from 'zod';
import { answerList } from './bounded.ts';
import { maxMessageLength, maxNameLength, resourceSchema } from './resource.ts';

const name = z.string().max(maxNameLength);
const text = z.string().max(maxMessageLength);

const containerEvidence = z.object({
  name,
  image: name,
  state: text.describe('`running`, or `waiting: CrashLoopBackOff; last exit code 1 (Error)`'),
  restarts: z.number(),
  log: text.optional().describe('The last 50 lines of the log, or fewer'),
  previousLog: text.optional().describe('The same of the run before'),
});

const resourceEvidence = resourceSchema.extend({
  conditions: answerList(z.object({ type: name, status: name, reason: name.optional(), message: text.optional() })),
  events: answerList(
    z.object({
      time: name.optional().describe('RFC 3339'),
      type: name,
      reason: name,
      message: text,
      count: z.number(),
      object: name.describe('`Pod/web-1`'),
    }),
  ).describe('The last events of the resource and its pods, the newest last'),
  pods: answerList(z.object({ name, phase: name, containers: answerList(containerEvidence) })).describe(
    'Pods that are not ready, at most 3',
  ),
});

/** The state of the resources that a wait has failed for, before anything is undone. */
export const evidenceSchema = z.object({
  seq: z.int().positive().describe("Counts the command's evidence packets from 1"),
  step: name.describe('The step that has failed'),
  time: name.describe('RFC 3339 in UTC, with milliseconds'),
  resources: z.array(resourceEvidence).max(100).describe('The resources that are not ready, at most 20'),
});
export type Evidence = z.output<typeof evidenceSchema>;
