import type { Cluster } from '../../objects/cluster.ts';
import { stringAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { eventTime, timesSeen } from '../../readiness/index.ts';
import { redactedTexts } from '../evidence/redacted-resources.ts';
import type { Redact } from '../evidence/release-redaction.ts';

/** Number of events that are read at a time, and of pages. */
const pageSize = 500;
const maxPages = 400;

const maxMessageLength = 4096;

/** The newest events of a namespace that are wanted, the newest last. */
interface NewestEvents {
  events: KubeObject[];
  /** Number of older ones. */
  omitted: number;
  /** Whether some were not read, because there are too many. */
  isIncomplete: boolean;
}

export interface EventQuery {
  namespace: string;
  fieldSelector?: string | undefined;
  /** Number of events to return. */
  most: number;
  isWanted: (event: KubeObject) => boolean;
}

/**
 * Reads the events of a namespace page by page, because the API server does not sort them by time.
 * Keeps only the newest ones in memory.
 */
export async function newestEvents(
  cluster: Pick<Cluster, 'listPage'>,
  { namespace, fieldSelector, most, isWanted }: EventQuery,
  signal: AbortSignal,
): Promise<NewestEvents> {
  const query = {
    ...{ apiVersion: 'v1', kind: 'Event', namespace, limit: pageSize },
    ...(fieldSelector !== undefined && { fieldSelector }),
  };
  let kept: KubeObject[] = [];
  let seen = 0;
  let after: string | undefined;
  let pages = 0;
  do {
    const page = await cluster.listPage({ ...query, after }, signal);
    const wanted = page.objects.filter(isWanted);
    seen += wanted.length;
    kept = [...kept, ...wanted].sort((a, b) => eventTime(a) - eventTime(b)).slice(-most);
    after = page.next;
  } while (after !== undefined && ++pages < maxPages);
  return { events: kept, omitted: seen - kept.length, isIncomplete: after !== undefined };
}

/** Returns events as they are answered, without the secrets in their texts. */
export async function answeredEvents(events: readonly KubeObject[], redact: Redact, signal: AbortSignal) {
  const texts = events.flatMap((event) => [stringAt(event, 'reason') ?? '', shortened(event)]);
  const redacted = await redactedTexts(texts, redact, signal);
  return events.map((event, index) => {
    const time = eventTime(event);
    const { namespace } = event.metadata;
    return {
      ...(time > 0 && { time: new Date(time).toISOString() }),
      type: stringAt(event, 'type') ?? '',
      reason: redacted[2 * index] ?? hidden,
      object: [stringAt(event, 'involvedObject', 'kind'), stringAt(event, 'involvedObject', 'name')].join('/'),
      ...(namespace !== undefined && { namespace }),
      message: redacted[2 * index + 1] ?? hidden,
      count: Math.max(0, Math.trunc(timesSeen(event))),
    };
  });
}

const hidden = 'not shown, because the secrets in it are not known';

function shortened(event: KubeObject): string {
  const text = (stringAt(event, 'message') ?? '').trim();
  return text.length > maxMessageLength ? `${text.slice(0, maxMessageLength).toWellFormed()}…` : text;
}
