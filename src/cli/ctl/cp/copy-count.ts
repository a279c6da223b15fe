import type { Terminal } from '../../dependencies.ts';
import { oneLine } from '../../text.ts';

/** Bytes between two reports. */
const reportedBytes = 4 * 1024 * 1024;

/** Most links and special files that are named. */
const maxNamed = 20;

/** Counts what is copied, and shows it: progress on a terminal only. */
export class CopyCount {
  files = 0;
  bytes = 0;
  leftOut = 0;
  readonly #output: Pick<Terminal, 'write' | 'erase' | 'isTerminal'>;
  #reported = 0;
  #hasProgress = false;

  constructor(output: Pick<Terminal, 'write' | 'erase' | 'isTerminal'>) {
    this.#output = output;
  }

  /** Writes a line in place of the progress. */
  say(line: string): void {
    if (this.#hasProgress) this.#output.erase(1);
    this.#hasProgress = false;
    this.#output.write(`${line}\n`);
  }

  /** Notes a link or a special file that is not copied. */
  leaveOut(path: string): void {
    this.leftOut++;
    if (this.leftOut <= maxNamed) this.say(`left out, because only files and folders are copied: ${oneLine(path)}`);
  }

  add(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes - this.#reported < reportedBytes) return;
    this.#reported = this.bytes;
    if (!this.#output.isTerminal) return;
    this.say(this.text());
    this.#hasProgress = true;
  }

  /** Yields the bytes of a stream without an encoding, and counts them. */
  async *counted(source: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      const bytes = chunk as Uint8Array; // without an encoding
      this.add(bytes.length);
      yield bytes;
    }
  }

  /** Returns what was copied so far, as `3 files, 1.5 MiB`. */
  text(): string {
    const size = this.bytes < 1024 ? `${this.bytes} B` : `${(this.bytes / 1024 / 1024).toFixed(1)} MiB`;
    const leftOut = this.leftOut > 0 ? `, ${this.leftOut} left out` : '';
    return `${this.files} ${this.files === 1 ? 'file' : 'files'}, ${size}${leftOut}`;
  }
}
