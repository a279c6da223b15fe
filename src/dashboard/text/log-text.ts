import { foreignName } from './foreign-text.ts';

/** Escape sequences of terminals: CSI, strings such as titles and links, and others. */
const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -/]*[0-~])/g;

const maxLine = 4000;

/** Returns a line of a log as text that changes nothing around it. */
export function logLine(text: string): string {
  const line = text.endsWith('\r') ? text.slice(0, -1) : text;
  // the rest is not shown, so it is not looked at
  return foreignName(
    line
      .slice(0, 4 * maxLine)
      .replace(escapes, '')
      .replaceAll('\t', '    '),
    maxLine,
  );
}

/** The longest beginning of a line that is kept until its end arrives, in UTF-16 units. */
const maxOpenLine = 64 * 1024;

/** Divides the texts of one log into lines. */
export class LineDivider {
  #open = '';

  /** Returns the lines that a text ends. */
  add(text: string): string[] {
    const lines = (this.#open + text).split('\n');
    this.#open = lines.pop() ?? '';
    if (this.#open.length > maxOpenLine) {
      lines.push(this.#open);
      this.#open = '';
    }
    return lines.map(logLine);
  }

  /** Returns the last line if it has no end. */
  end(): string[] {
    const line = this.#open;
    this.#open = '';
    return line === '' ? [] : [logLine(line)];
  }
}
