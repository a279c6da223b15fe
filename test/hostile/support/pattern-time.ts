import { createContext, Script } from 'node:vm';
import { attackOfLength, type AttackText, attackTexts } from './attack-texts.ts';

/** Length of the texts that find the slowest attacks. */
const firstLength = 8 * 1024;

/** Attacks that are tried with {@link longLength}. */
const slowest = 2;

const longLength = 1024 * 1024;

/** Processor time that a pattern may take for a text of 1 MiB, in milliseconds. */
const longestTime = 200;

/**
 * Time after which a run is ended, in milliseconds. A run that other programs have held up gets
 * twice as long the next time.
 */
const wallTime = 600;

/** Runs of a text, of which the fastest counts, because other programs slow them down. */
const attempts = 4;

/** Processor time after which no other run is tried: other programs do not slow it down so much. */
const hopelessTime = 2 * longestTime;

const context = createContext({ run: () => undefined });
const script = new Script('run()');

/** An attack for which a pattern takes too long. */
export interface SlowAttack {
  text: AttackText;
  length: number;
}

/** Returns an attack of at most 1 MiB for which a pattern takes more than 200 ms, or undefined. */
export function slowAttack(pattern: RegExp): SlowAttack | undefined {
  const each = new RegExp(pattern.source, pattern.sticky ? pattern.flags : `${pattern.flags.replace('g', '')}g`);
  const texts = attackTexts(pattern);
  // exponential time shows at once, and would never end for a longer text
  const first = timesOf(each, texts, 64);
  if ('slow' in first) return first.slow;
  const second = timesOf(each, texts, firstLength);
  if ('slow' in second) return second.slow;
  const byTime = second.times.map((time, index) => ({ time, index })).sort((a, b) => b.time - a.time);
  const longest = timesOf(
    each,
    byTime.slice(0, slowest).flatMap(({ index }) => texts[index] ?? []),
    longLength,
  );
  return 'slow' in longest ? longest.slow : undefined;
}

/** Returns the times of all matches of a pattern in each text, or the first too slow text. */
function timesOf(
  pattern: RegExp,
  texts: readonly AttackText[],
  length: number,
): { times: number[] } | { slow: SlowAttack } {
  const times: number[] = [];
  let start = process.threadCpuUsage();
  const time = (text: AttackText, index: number) => {
    const attack = attackOfLength(text, length);
    times[index] = Infinity;
    start = process.threadCpuUsage();
    attack.replace(pattern, '');
    times[index] = milliseconds(process.threadCpuUsage(start));
  };
  let limit = wallTime;
  /** Runs a function. Returns the processor time of a run that had to be ended. */
  const run = (each: () => void): number | undefined => {
    if (limited(each, limit) === 'done') return undefined;
    const endedAfter = milliseconds(process.threadCpuUsage(start));
    if (endedAfter < longestTime) limit *= 2;
    return endedAfter;
  };
  // most patterns take microseconds, far less than the thread that watches the limit
  let endedAfter = run(() => texts.forEach(time));
  for (const [index, text] of texts.entries()) {
    const isSlow = () => (times[index] ?? Infinity) >= longestTime;
    const isHopeless = () => times[index] === Infinity && (endedAfter ?? 0) >= hopelessTime;
    for (let left = attempts; left > 0 && isSlow() && !isHopeless();) {
      endedAfter = run(() => time(text, index));
      if ((endedAfter ?? longestTime) >= longestTime) left--;
    }
    if (isSlow()) return { slow: { text, length } };
  }
  return { times };
}

function milliseconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000;
}

/** Runs a function, and ends it after a time in milliseconds. */
function limited(run: () => void, timeout: number): 'done' | 'ended' {
  context['run'] = run;
  try {
    script.runInContext(context, { timeout });
    return 'done';
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    return 'ended';
  }
}
