import type { Drift } from '../../protocol/drift.ts';
import { timeLimit } from '../time-limit.ts';
import { redactedValue } from './redacted-object.ts';
import type { Redaction } from './release-redaction.ts';

/** Time for redacting the values of an object, in milliseconds. */
const redactionTime = 5000;

const unknownReason = 'values and reasons are not shown, because the secrets in them are not known';

/** Returns what differs without secrets in values and reasons. Leaves them out if it cannot. */
export async function redactedDrift(drift: Drift, { ofServer }: Redaction, abandon?: AbortSignal): Promise<Drift> {
  const { fields = [], reason } = drift;
  if (fields.length === 0 && reason === undefined) return drift;
  const limit = timeLimit(redactionTime, [abandon]);
  try {
    const texts = { values: fields.map(({ found, wanted }) => ({ found, wanted })), reason };
    return { ...drift, ...merged(drift, (await redactedValue(texts, ofServer, limit.signal)) as typeof texts) }; // the fields are the same
  } catch {
    return { ...drift, ...merged(drift, { values: [], reason: unknownReason }) };
  } finally {
    limit.close();
  }
}

interface Texts {
  values: readonly { found?: unknown; wanted?: unknown }[];
  reason: string | undefined;
}

function merged({ fields }: Drift, { values, reason }: Texts): Partial<Drift> {
  return {
    ...(fields && {
      fields: fields.map(({ found: _, wanted: __, ...field }, index) => ({ ...field, ...defined(values[index]) })),
    }),
    ...(reason !== undefined && { reason }),
  };
}

function defined({ found, wanted }: Texts['values'][number] = {}): Texts['values'][number] {
  return { ...(found !== undefined && { found }), ...(wanted !== undefined && { wanted }) };
}
