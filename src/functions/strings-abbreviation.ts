import { isSpace } from '../go/space.ts';
import type { Int } from '../go/value.ts';
import { checkBytes, type FunctionLimits } from './limits.ts';
import { fromByteText, toByteText } from './support/byte-text.ts';
import type { FunctionFamily } from './support/family.ts';

/** Sprig's functions that shorten and wrap text. They count bytes, as goutils does. */
export function abbreviationFunctions(limits: FunctionLimits): FunctionFamily {
  return {
    abbrev: {
      params: ['int', 'string'],
      call: (width: Int, text: string) =>
        width.value < 4n ? text : onBytes(text, (bytes) => abbreviate(bytes, 0, Number(width.value))),
    },
    abbrevboth: {
      params: ['int', 'int', 'string'],
      call: (left: Int, right: Int, text: string) => {
        if (right.value < 4n || (left.value > 0n && right.value < 7n)) return text;
        return onBytes(text, (bytes) => abbreviate(bytes, Number(left.value), Number(right.value)));
      },
    },
    initials: { params: ['string'], call: initials },
    wrap: {
      params: ['int', 'string'],
      call: (width: Int, text: string) =>
        onBytes(text, (bytes) => wrap(bytes, { width: Number(width.value), newLine: '\n', breakWords: false }, limits)),
    },
    wrapWith: {
      params: ['int', 'string', 'string'],
      call: (width: Int, newLine: string, text: string) =>
        onBytes(text, (bytes) =>
          wrap(bytes, { width: Number(width.value), newLine: toByteText(newLine) || '\n', breakWords: true }, limits),
        ),
    },
  };
}

function onBytes(text: string, run: (bytes: string) => string): string {
  return fromByteText(run(toByteText(text)));
}

/** Returns `width` bytes of the text from `offset`, with dots for omitted parts. */
function abbreviate(text: string, offset: number, width: number): string {
  if (text.length <= width) return text;
  const start =
    text.length - Math.min(offset, text.length) < width - 3 ? text.length - (width - 3) : Math.min(offset, text.length);
  if (start <= 4) return `${text.slice(0, width - 3)}...`;
  if (width < 7) return '';
  if (start + width - 3 < text.length) {
    return `...${abbreviate(text.slice(start), 0, width - 3)}`;
  }
  return `...${text.slice(-(width - 3))}`;
}

/** Returns the first byte of each word. Every byte counts as a character. */
function initials(text: string): string {
  let afterGap = true;
  let letters = '';
  for (const byte of toByteText(text)) {
    const gap = isSpace(byte);
    if (!gap && afterGap) letters += byte;
    afterGap = gap;
  }
  return letters;
}

interface Wrapping {
  readonly width: number;
  readonly newLine: string;
  /** Whether words longer than a line are broken. */
  readonly breakWords: boolean;
}

/** Breaks lines at spaces. */
function wrap(text: string, { width, newLine, breakWords }: Wrapping, limits: FunctionLimits): string {
  const length = Math.max(width, 1);
  const lines: string[] = [];
  let offset = 0;
  while (text.length - offset > length) {
    if (text[offset] === ' ') {
      offset++;
      continue;
    }
    let end = text.slice(offset, offset + length + 1).lastIndexOf(' ') + offset;
    let next = end + 1;
    if (end < offset) {
      const space = text.indexOf(' ', offset + length);
      end = breakWords ? offset + length : space < 0 ? text.length : space;
      next = breakWords ? end : end + 1;
      if (!breakWords && space < 0) break;
    }
    lines.push(text.slice(offset, end));
    offset = next;
  }
  lines.push(text.slice(offset));
  checkBytes(text.length + lines.length * newLine.length, limits);
  return lines.join(newLine);
}
