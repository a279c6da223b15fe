import { isJsonObject } from '../../objects/fields.ts';
import { redacted as masked } from '../../redaction/secret-matcher.ts';
import type { Release } from '../../release/release.ts';
import { maskedValues } from '../../release/secret-values.ts';
import type { OperationContext } from '../context.ts';
import type { ObjectDifference } from '../diff/object-changes.ts';
import { redactedTexts } from './redacted-resources.ts';
import { type Manifests, type Redact, type RedactionContext, redactionOf } from './release-redaction.ts';

/** Time to redact the texts of a result, which are `***` after that, in milliseconds. */
const redactionTime = 60_000;

type AnswerContext = RedactionContext & Pick<OperationContext, 'abandon'>;

/** Replaces the secret values of releases in what results show of them. */
interface AnswerRedaction {
  /** Texts that cannot be redacted become `***`. */
  texts: (texts: readonly string[]) => Promise<string[]>;
  differences: (differences: readonly ObjectDifference[]) => Promise<ObjectDifference[]>;
}

/**
 * Returns the redaction of results about releases, or undefined if no value of theirs is secret:
 * results show all as it is then.
 */
export function answerRedaction(context: AnswerContext, releases: readonly Manifests[]): AnswerRedaction | undefined {
  const marked = releases.filter(({ secret_values = [] }) => secret_values.length > 0);
  return marked.length === 0 ? undefined : redactionBy(redactionOf(context, marked).ofServer, context.abandon);
}

function redactionBy(redact: Redact, abandon: AbortSignal | undefined): AnswerRedaction {
  const texts = async (given: readonly string[]) => {
    const shown = await redactedTexts(given, redact, abandon, redactionTime);
    return given.map((_, index) => shown[index] ?? masked);
  };
  return { texts, differences: (given) => redactedDifferences(given, texts) };
}

/** Returns an answer without the secret values of its release, wherever templates put them. */
export async function withoutSecretValues<Answer extends object>(
  answer: Answer,
  context: AnswerContext,
): Promise<Answer> {
  if (!('release' in answer) || !isMarked(answer.release)) return answer;
  const { release } = answer;
  const redaction = answerRedaction(context, [release]);
  if (redaction === undefined) return answer;
  const { config = {}, secret_values = [], info, hooks } = release;
  const all = [release.manifest, info.notes ?? '', ...(hooks ?? []).map((hook) => hook.manifest)];
  const [manifest = '', notes = '', ...others] = await redaction.texts(all);
  const values = 'values' in answer && isJsonObject(answer.values) ? answer.values : undefined;
  return {
    ...answer,
    release: {
      ...release,
      manifest,
      config: maskedValues(config, secret_values),
      info: { ...info, ...(info.notes !== undefined && { notes }) },
      ...(hooks && { hooks: hooks.map((hook, index) => ({ ...hook, manifest: others[index] ?? masked })) }),
    },
    ...(values && { values: maskedValues(values, secret_values) }),
  };
}

/** A release in a result is that of an operation. */
function isMarked(release: unknown): release is Release {
  return isJsonObject(release) && Array.isArray(release['secret_values']) && release['secret_values'].length > 0;
}

/** Redacts texts and numbers that differ. Names of objects and paths are not secret. */
async function redactedDifferences(
  differences: readonly ObjectDifference[],
  redact: AnswerRedaction['texts'],
): Promise<ObjectDifference[]> {
  const shown = new Map<string, string>();
  const parts = differences.map(({ fields = [], reason }) => [
    ...fields.map(({ before, after }) => [before, after]),
    reason,
  ]);
  mapTexts(parts, (text) => {
    shown.set(text, text);
    return text;
  });
  const texts = [...shown.keys()];
  for (const [index, text] of (await redact(texts)).entries()) shown.set(texts[index] ?? '', text);
  const replace = (value: unknown) => mapTexts(value, (text) => shown.get(text) ?? masked);
  return differences.map(({ fields, reason, ...rest }) => ({
    ...rest,
    ...(fields && {
      fields: fields.map(({ path, before, after }) => ({
        path,
        ...(before !== undefined && { before: replace(before) }),
        ...(after !== undefined && { after: replace(after) }),
      })),
    }),
    ...(reason !== undefined && { reason: shown.get(reason) ?? masked }),
  }));
}

/** Returns JSON data with other texts. A number changes if its text does. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value === 'number') {
    const text = String(value);
    const changed = change(text);
    return changed === text ? value : changed;
  }
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapTexts(inner, change)]));
}
