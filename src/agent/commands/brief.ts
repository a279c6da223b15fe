import { MAX_PACKET_BYTES } from '../../protocol/limits.ts';
import type { Answer } from '../../protocol/messages.ts';

/** What a release may be sent without where the packet would be too large, in this order. */
const dispensable = ['hooks', 'config', 'manifest'];

/** For the packet around the answer. */
const MARGIN = 4096;

/**
 * An answer without what its receiver hardly reads and what makes it large: of a release's chart only the metadata; and where it would be
 * too large for a packet still, without the fields that `omitted` names.
 */
export function briefAnswer(answer: Answer): Answer {
  if (!answer.release) return answer;
  const release = withMetadataOnly(answer.release);
  const omitted = [];
  for (const field of dispensable) {
    if (bytesOf(release) <= MAX_PACKET_BYTES - MARGIN) break;
    release[field] = undefined;
    omitted.push(field);
  }
  return { ...answer, release, ...(omitted.length > 0 && { omitted }) };
}

function withMetadataOnly(release: NonNullable<Answer['release']>): NonNullable<Answer['release']> {
  const { chart } = release;
  if (typeof chart !== 'object' || chart === null || !('metadata' in chart)) return { ...release };
  return { ...release, chart: { metadata: chart.metadata } };
}

/** In UTF-16 units; more than a person reads, and with all escapes far less than a packet holds. */
const MAX_MESSAGE = 64 * 1024;

/** A message without its middle where it is long: a template can make one of megabytes, and what went wrong stands at one of its ends. */
export function briefMessage(message: string): string {
  const left = message.length - MAX_MESSAGE;
  if (left <= 0) return message;
  const half = MAX_MESSAGE / 2;
  return `${message.slice(0, half)} … (${left} characters are left out) … ${message.slice(-half)}`.toWellFormed();
}

/** Payloads are JSON text within JSON text, where a quote takes one more byte. */
function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(JSON.stringify(value)));
}
