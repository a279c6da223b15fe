import { appendFile, mkdir } from 'node:fs/promises';

/** Figures of one hostile input. */
export interface Figure {
  /** Names the input: `values with 20,000 documents`. */
  input: string;
  /** Longest time in which the event loop did not turn, in milliseconds. */
  stallMs: number;
  /** Peak of the resident memory of the process, in MiB. */
  peakMiB: number;
  /** Time until the response, in milliseconds. */
  responseMs: number;
  /** Error code of the response, or `ok`. */
  code: string;
}

/** Folder of the recorded figures; `npm run hostile` prints them as a table. */
export const figuresFolder = new URL('../../../node_modules/.cache/hostile/', import.meta.url).pathname;

/** Whether to run the inputs that take more than three seconds: `npm run hostile` sets it. */
export const isSlowRun = process.env['HELM_AGENT_HOSTILE'] === 'slow';

/** Appends the figures of one input to the recorded ones. */
export async function recordFigure(figure: Figure): Promise<void> {
  await mkdir(figuresFolder, { recursive: true });
  await appendFile(`${figuresFolder}figures.jsonl`, `${JSON.stringify(figure)}\n`);
}
