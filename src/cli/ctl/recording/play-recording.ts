import * as z from 'zod';
import { sleep } from '../../../async/index.ts';
import type { Terminal } from '../../dependencies.ts';

/** A line of asciicast v2 after the first one. */
const eventSchema = z.tuple([z.number().nonnegative(), z.string(), z.string()]);

export interface PlayOptions {
  stdout: Pick<Terminal, 'writeBytes'>;
  /** How often faster than it was recorded. */
  speed: number;
  /** The longest pause, in seconds. */
  maxPause: number;
  signal: AbortSignal;
}

/**
 * Writes the output of a recording at the pace at which it was recorded. Rejects if a line is not
 * one of asciicast v2, and with the signal's reason.
 */
export async function playRecording(
  lines: AsyncIterable<string>,
  { stdout, speed, maxPause, signal }: PlayOptions,
): Promise<void> {
  let number = 0;
  let last = 0;
  for await (const line of lines) {
    number++;
    if (number === 1) continue;
    const [time, code, text] = eventOf(line, number);
    const pause = Math.min(time - last, maxPause) / speed;
    last = time;
    if (pause > 0) await sleep(pause * 1000, signal);
    if (code === 'o') await stdout.writeBytes(Buffer.from(text));
  }
}

function eventOf(line: string, number: number): z.output<typeof eventSchema> {
  try {
    return eventSchema.parse(JSON.parse(line));
  } catch {
    throw new Error(`line ${number} of the recording is not an event of asciicast v2`);
  }
}
