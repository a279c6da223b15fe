import { longestSecret } from '../../redaction/find-secrets.ts';

/** Replaces secrets in a text. */
export type RedactText = (text: string) => Promise<string>;

/** UTF-16 units before the end of a log, in which a secret can begin that is cut off. */
const margin = 4 * longestSecret;

/** Returns at most the last `length` UTF-16 units of a log, without the rest of a secret. */
export async function endOfLog(log: string, length: number, redact: RedactText): Promise<string> {
  if (log.length <= length) return await redact(log);
  const redacted = await redact(log.slice(-(length + margin)));
  // the text does not become longer, so this leaves out at least the margin
  return redacted.slice(margin).toWellFormed();
}
