import type { ExecutionContext } from 'ava';
import type { ChildProgram } from './child-program.ts';
import { type Figure, recordFigure } from './figures.ts';
import { type PingSetup, startPings } from './pings.ts';
import { peakMiB, resetPeak } from './process-memory.ts';

/** Longest stall that an input may cause, in milliseconds. */
const mostStallMs = 200;

/** Most memory that the process may take, in MiB: the limit in helm-agent.yaml. */
export const mostMiB = 512;

/** A process that an input is sent to. */
export interface Target {
  program: ChildProgram;
  /** Where to ping it. */
  ping: Omit<PingSetup, 'pid'>;
}

/** Number of attempts: a stall that another program causes does not come back, unlike our own. */
const attempts = 3;

/**
 * Runs an attack with a ping beside it, and records its figures. The attack resolves to the error
 * code of the response, or to `ok`; the code is `died` if the process ends meanwhile. An attack
 * that causes too long a stall is repeated.
 */
export async function measure(target: Target, input: string, attack: () => Promise<string>): Promise<Figure> {
  let figure = await measureOnce(target, input, attack);
  for (let attempt = 1; attempt < attempts && figure.stallMs >= mostStallMs; attempt++) {
    figure = await measureOnce(target, input, attack);
  }
  await recordFigure(figure);
  return figure;
}

async function measureOnce({ program, ping }: Target, input: string, attack: () => Promise<string>): Promise<Figure> {
  await resetPeak(program.pid);
  const pings = await startPings({ ...ping, pid: program.pid });
  const started = performance.now();
  const code = await Promise.race([attack(), program.ended.then(() => 'died')]);
  const responseMs = Math.round(performance.now() - started);
  const stallMs = Math.round(await pings.stop());
  return { input, stallMs, peakMiB: Math.round(await peakMiB(program.pid)), responseMs, code };
}

/**
 * Asserts that a response has one of the codes, which ` or ` separates, and that the input cost no
 * more than any may.
 */
export function assertHarmless(t: ExecutionContext, figure: Figure, codes: string): void {
  t.log(`stall ${figure.stallMs} ms, peak ${figure.peakMiB} MiB, response after ${figure.responseMs} ms`);
  const expected = codes.split(' or ');
  t.true(
    figure.code.split(' or ').every((code) => expected.includes(code)),
    `${figure.code} instead of ${codes}`,
  );
  t.true(figure.stallMs < mostStallMs, `the event loop stood still for ${figure.stallMs} ms`);
  t.true(figure.peakMiB < mostMiB, `the process took ${figure.peakMiB} MiB`);
}
