import { createHash } from 'node:crypto';
import * as z from 'zod';
import { stringAt } from '../../objects/fields.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import type { ListedCommand } from '../journal.ts';

/** Fields of an entry whose texts are compressed, and may be in Secrets of their own. */
export type TextField = 'payload' | 'state' | 'outcome';

/** Everything in an entry besides its texts. */
const headSchema = z.object({
  /** Version of this shape. */
  format: z.literal(1),
  agentId: z.string(),
  key: z.string(),
  fingerprint: z.string(),
  type: z.string(),
  isAnonymous: z.boolean(),
  /** The service account that performs the command. Default: the agent itself. */
  account: z.string().optional(),
  /** The span that has sent the command. Default: none. */
  traceparent: z.string().optional(),
  /** The signatures of the command. Default: none. */
  envelope: z.string().optional(),
  /** The process that runs the command. */
  holder: z.string(),
  /** Milliseconds since the Unix epoch. */
  acceptedAt: z.number(),
  /** Counts the commands of the process that accepted it. */
  order: z.number(),
  finishedAt: z.number().optional(),
  /** Ids of the processes that have continued it alone since its last progress, and crashed. */
  continuedBy: z.array(z.string()).optional(),
  /** Ids of those that have continued others at the same time. */
  continuedWithOthersBy: z.array(z.string()).optional(),
  /** Numbers of Secrets of texts that do not fit into that of the entry. */
  parts: z.partialRecord(z.enum(['payload', 'state', 'outcome']), z.int()),
});
export type EntryHead = z.output<typeof headSchema>;

/** Returns what is listed of a command; undefined if its sender has no key. */
export function listedOf({ key, fingerprint, type, isAnonymous, acceptedAt }: EntryHead): ListedCommand | undefined {
  return isAnonymous ? undefined : { key, fingerprint, type, acceptedAt };
}

/** Label with the agent of an entry, so that agents in one namespace do not disturb each other. */
const agentLabel = 'helm-agent/journal';
/** Label with `running`, `finished` or `part`. */
const stateLabel = 'helm-agent/journal-state';
const secretType = 'helm-agent/journal';

type EntryState = 'running' | 'finished' | 'part';

/** Returns the selector of the entries of an agent. */
export function entrySelector(agentId: string, state: EntryState): string {
  return `${agentLabel}=${shortHash(agentId)},${stateLabel}=${state}`;
}

export function entryLabels(agentId: string, state: EntryState): Record<string, string> {
  return {
    'app.kubernetes.io/managed-by': 'helm-agent',
    [agentLabel]: shortHash(agentId),
    [stateLabel]: state,
  };
}

/** Returns the reference to the Secret of a command: a key has one name, so that it is found. */
export function entryRef(namespace: string, agentId: string, key: string): ObjectRef {
  return secretRef(namespace, `helm-agent.journal.${shortHash(`${agentId}\n${key}`)}`);
}

/** Returns the reference to a Secret with a part of a text. */
export function partRef({ namespace = '', name }: ObjectRef, field: TextField, index: number): ObjectRef {
  return secretRef(namespace, `${name}.${field}.${index}`);
}

export function secretRef(namespace: string, name: string): ObjectRef {
  return { apiVersion: 'v1', kind: 'Secret', namespace, name };
}

/** Returns a Secret of the journal. */
export function journalSecret(
  { namespace = '', name }: ObjectRef,
  agentId: string,
  state: EntryState,
  data: Record<string, string>,
): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name, labels: entryLabels(agentId, state) },
    type: secretType,
    data,
  };
}

export function encodeHead(head: EntryHead): string {
  return Buffer.from(JSON.stringify(head)).toString('base64');
}

/** Returns the head of an entry, or undefined if another version of the program has written it. */
export function decodeHead(secret: KubeObject): EntryHead | undefined {
  const text = Buffer.from(stringAt(secret, 'data', 'head') ?? '', 'base64').toString();
  try {
    const head = headSchema.safeParse(JSON.parse(text)).data;
    return head && withoutEndings(head);
  } catch {
    return undefined;
  }
}

/** Earlier versions put the ids of `continuedWithOthersBy` into `continuedBy`, with this ending. */
const together = ' with others';

function withoutEndings(head: EntryHead): EntryHead {
  const { continuedBy = [], continuedWithOthersBy = [] } = head;
  if (!continuedBy.some((id) => id.endsWith(together))) return head;
  const others = continuedBy.filter((id) => id.endsWith(together)).map((id) => id.slice(0, -together.length));
  return {
    ...head,
    continuedBy: continuedBy.filter((id) => !id.endsWith(together)),
    continuedWithOthersBy: [...continuedWithOthersBy, ...others],
  };
}

/** Returns a hash that fits into a label and a name. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 40);
}
