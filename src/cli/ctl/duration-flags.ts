import type { Command } from 'commander';
import { timeoutSchema } from '../../protocol/duration.ts';

/** Words that some flags take instead of a duration. */
const words: Readonly<Record<string, string>> = { '--deliver-within': 'false', '--settle': 'none' };

/**
 * Checks the flags of a command that are durations, which the control plane would refuse without
 * the names of the flags. Throws an error that names the flag, its value, and what to write
 * instead.
 */
export function requireDurations(command: Command): void {
  for (const { long, flags, attributeName } of command.options.map(durationOption)) {
    const value: unknown = command.getOptionValue(attributeName);
    const isList = flags.includes('=duration>');
    if (!isList && !flags.includes('<duration>')) continue;
    for (const text of [value].flat()) {
      if (typeof text !== 'string' || (isList && !text.includes('='))) continue;
      requireDuration(long, isList ? text.slice(0, text.indexOf('=') + 1) : '', text);
    }
  }
}

function durationOption(option: Command['options'][number]) {
  return { long: option.long ?? option.flags, flags: option.flags, attributeName: option.attributeName() };
}

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
