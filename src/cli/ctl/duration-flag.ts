import { timeoutSchema } from '../../protocol/duration.ts';

/** Words that some flags take instead of a duration. */
const words: Readonly<Record<string, string>> = { '--deliver-within': 'false', '--settle': 'none' };

/**
 * Throws an error if the value of a flag is not a duration, nor a word that the flag takes instead.
 * `prefix` is the part of the value before the duration: `wait=`.
 */
export function requireDuration(flag: string, prefix: string, text: string): void {
  const duration = text.slice(prefix.length);
  const word = words[flag];
  if (duration === word || timeoutSchema.safeParse(duration).success) return;
  const or = word === undefined ? '' : `, or ${word}`;
  const wrong = `not ${JSON.stringify(text)}`;
  if (/^\d{1,9}$/.test(duration) && timeoutSchema.safeParse(`${duration}s`).success) {
    throw new Error(`${flag} must have a unit, ${wrong}: write ${flag} ${prefix}${duration}s for seconds`);
  }
  throw new Error(
    `${flag} must be a duration above 0 and at most 168h, such as ${prefix}90s or ${prefix}5m${or}, ${wrong}`,
  );
}
