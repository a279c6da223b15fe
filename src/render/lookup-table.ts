/** What a template asked `lookup` for. */
export interface LookupKey {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
}

/** Answers to lookups by {@link lookupId}. */
export type LookupAnswers = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** The lookups of one render: what is known, and what a template asked for beyond that. */
export interface LookupTable {
  answers: LookupAnswers;
  missing: LookupKey[];
}

/** A key that is the same for the same question. */
export function lookupId({ apiVersion, kind, namespace, name }: LookupKey): string {
  return JSON.stringify([apiVersion, kind, namespace, name]);
}
