import type { FileTime } from './file-times.ts';
import { titlePrefix } from './title-prefix.ts';

/** The output of the suite, such as `process.stdout`. */
interface Output {
  isTTY: boolean;
  write(text: string): void;
}

/**
 * Prints the lines of ava as if each file had a process of its own, a line of progress, and the
 * slowest files. On a terminal, tests that pass only count in the line of progress.
 */
export class AvaOutput {
  readonly #output: Output;
  readonly #filesDone: () => string;
  readonly #start = performance.now();
  readonly #timer: NodeJS.Timeout;
  readonly #passedTitles = new Set<string>();
  #failed = 0;

  constructor(output: Output, filesDone: () => string) {
    this.#output = output;
    this.#filesDone = filesDone;
    this.#timer = setInterval(
      () => this.#write(output.isTTY ? `  ${this.#state()}` : `  … ${this.#state()}\n`),
      output.isTTY ? 500 : 15_000,
    );
  }

  /** Prints a line. `file` is the only file that runs, for which ava prints no prefix. */
  line(line: string, file?: string): void {
    const [, before, sign, fail = '', rest = ''] = /^( *)([✔✘]) (\[\w.*?\]:? )?(.*)$/.exec(line) ?? [];
    if (before === undefined || (sign === '✘' && !fail.startsWith('['))) {
      this.#write(`${shortTitle(line)}\n`);
      return;
    }
    const title = file === undefined ? shortTitle(rest) : `${titlePrefix(file)} › ${rest}`;
    const name = title.replace(/ \([\d.]+m?s\)$/, '');
    if (sign === '✘') this.#failed++;
    else if (this.#passedTitles.has(name))
      return; // of a file that runs again
    else this.#passedTitles.add(name);
    if (sign === '✘' || !this.#output.isTTY) this.#write(`${before}${sign} ${fail}${title}\n`);
  }

  /** Prints the slowest files and the last line of progress. */
  end(times: readonly FileTime[]): void {
    const slowest = [...times].sort((a, b) => b.ms - a.ms).slice(0, 10);
    const lines = slowest.map(({ file, ms }) => `${(ms / 1000).toFixed(1).padStart(8)} s  ${file}`);
    this.#write(['', '  Slowest files:', ...lines, '', `  ${this.#state()}`, ''].join('\n'));
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #state(): string {
    const seconds = Math.round((performance.now() - this.#start) / 1000);
    return `${this.#filesDone()}, ${this.#passedTitles.size} tests passed, ${this.#failed} failed, ${seconds} s`;
  }

  /** Writes over the line of progress, if there is one. */
  #write(text: string): void {
    this.#output.write(this.#output.isTTY ? `\r\u001B[K${text}` : text);
  }
}

/** Leaves out the entry file of a shared process. */
function shortTitle(line: string): string {
  return line.replace(/\.shared › \d+ › /, '');
}
