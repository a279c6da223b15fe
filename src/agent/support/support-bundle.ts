import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../errors/index.ts';
import type { CommandAnswers } from '../../protocol/commands/index.ts';

/** A file of a support bundle. */
export interface SupportSource {
  /** Such as `pods.json`. */
  name: string;
  /** Its content, for the reader. */
  about: string;
  /** Returns the text, or plain data that becomes JSON. May reject: the file is then missing. */
  read(signal: AbortSignal): unknown;
}

/** Texts that are removed from a bundle. */
export interface SupportSecrets {
  /** Returns those of this process: of its files, its environment and its kubeconfig. */
  ofProcess(): Promise<readonly string[]>;
  /**
   * Returns those of the namespace of the agent, and why some Secrets there were not read, if that
   * is so. May reject.
   */
  ofNamespace(signal: AbortSignal): Promise<{ texts: readonly string[]; unread: string | undefined }>;
}

export interface SupportBundleOptions {
  sources: readonly SupportSource[];
  secrets: SupportSecrets;
  /** Replaces secrets, and what looks like one. */
  redact(texts: readonly string[], secrets: readonly string[], signal: AbortSignal): Promise<string[]>;
  /** Ends the command. */
  signal: AbortSignal;
  /** Time for each source, in milliseconds. Default: 8000. */
  timeLimitMs?: number;
}

/** Characters of a file, of which the last ones are kept, and of a line. */
const maxFile = 192 * 1024;
const maxLine = 16 * 1024;

/** Characters of all files: in a packet, the text of a text, each takes 7 bytes at most. */
const maxBundle = 1024 * 1024;

/**
 * A value after a name such as `password`, also in JSON that is a text in JSON. The name is not a
 * part of the match, because it can be a value itself.
 */
const labelled =
  /(?<=(?:pass(?:word|wd|phrase)?|secret|token|api[_-]?key|authorization)(?:\\{0,8}["'])?[ \t]{0,8}[:=][ \t]{0,8}(?:\\{0,8}["'])?)[^\s"'\\,;&}]+/gi;

/**
 * Reads all sources at the same time, removes secrets from them, and returns the files. A source
 * that cannot be read in time is missing.
 */
export async function supportBundle(options: SupportBundleOptions): Promise<CommandAnswers['support_bundle']> {
  const { sources, secrets, signal, timeLimitMs = 8000 } = options;
  const within = async <Result>(read: (signal: AbortSignal) => Result | Promise<Result>): Promise<Result> => {
    const ended = new AbortController();
    const limit = AbortSignal.any([signal, ended.signal, AbortSignal.timeout(timeLimitMs)]);
    const late = sleep(timeLimitMs, undefined, { signal: ended.signal }).then(() => {
      throw new Error(`it took more than ${timeLimitMs / 1000} s`);
    });
    try {
      return await Promise.race([read(limit), late]);
    } finally {
      ended.abort();
    }
  };
  const own = await secrets.ofProcess();
  const [known, ...texts] = await Promise.allSettled([
    within((limit) => secrets.ofNamespace(limit)),
    ...sources.map((source) => within(async (limit) => textOf(await source.read(limit)))),
  ]);
  signal.throwIfAborted();
  const ofNamespace = known.status === 'fulfilled' ? known.value : { texts: [], unread: reasonOf(known.reason) };
  const unknown =
    'Secrets of the namespace, so only secrets that can be recognised are removed from texts of the cluster';
  const missing = ofNamespace.unread === undefined ? [] : [`${unknown}: ${ofNamespace.unread}`];
  const found: { name: string; about: string; text: string }[] = [];
  for (const [index, { name, about }] of sources.entries()) {
    const read = texts[index];
    if (read?.status === 'fulfilled') found.push({ name, about, text: bounded(read.value) });
    else missing.push(`${name}: ${reasonOf(read?.reason)}`);
  }
  const all = [...found.map(({ text }) => text), ...missing];
  const redacted = await options.redact(all, [...own, ...ofNamespace.texts], signal);
  const clean = redacted.map((text) => text.replaceAll(labelled, '***'));
  const files = withinTotal(found.map((file, index) => ({ ...file, text: clean[index] ?? '' })));
  const reasons = clean.slice(found.length);
  return { files, ...(reasons.length > 0 && { missing: reasons }) };
}

/** Lists are written with an item in each line. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return `${JSON.stringify(value, undefined, 2)}\n`;
  return value.map((item) => `${JSON.stringify(item)}\n`).join('');
}

/** Keeps whole lines, because a part of one may have a part of a secret. */
function bounded(text: string): string {
  const end = text.slice(-maxFile);
  const lines = end.split('\n');
  if (end.length < text.length) lines[0] = `(${text.length - end.length} characters are left out)`;
  return lines.map((line) => (line.length > maxLine ? `(${line.length} characters are left out)` : line)).join('\n');
}

/** Replaces text that was not bounded before, which can be a file with many replacements. */
function withinTotal<File extends { text: string }>(files: readonly File[]): File[] {
  let left = maxBundle;
  return files.map((file) => {
    const text = file.text.length > left ? '(left out, because the bundle would be too large)\n' : file.text;
    left -= text.length;
    return { ...file, text: text.toWellFormed() };
  });
}

function reasonOf(error: unknown): string {
  return messageOf(error).slice(0, 500);
}
