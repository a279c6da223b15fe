import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import type { Screen, TerminalSize } from './screen.ts';
import { strictDocument } from './strict-document.ts';

export interface ScreenOptions {
  /** Is given what the user types, and the replies of the terminal. Default: it only shows. */
  onInput?: (bytes: Uint8Array<ArrayBuffer>) => void;
  /** Called when the element has another size. Default: the size follows `resize`. */
  onSize?: (size: TerminalSize) => void;
  /** Name for screen readers. */
  label: string;
}

/** The largest size that a recording or a program can ask for. */
const maxSize = { columns: 500, rows: 200 };

/** Lines that have left the screen. */
const scrollback = 5000;

/**
 * Sequences that would do something else than draw: titles, colours, the folder, links, the
 * clipboard, notices of other emulators, and marks of shells.
 */
const ignoredStrings = [0, 1, 2, 4, 5, 7, 8, 9, 10, 11, 12, 52, 99, 104, 105, 110, 111, 112, 133, 777, 1337];

/** Opens a terminal in an element, in which bytes from clusters can only draw. */
export function openScreen(element: HTMLElement, { onInput, onSize, label }: ScreenOptions): Screen {
  const strict = strictDocument(element.ownerDocument);
  const style = getComputedStyle(element);
  const color = (name: string) => colorOf(element, style.getPropertyValue(name));
  const terminal = new Terminal({
    allowProposedApi: false,
    cursorBlink: false,
    disableStdin: !onInput,
    documentOverride: strict.document,
    fontFamily: style.getPropertyValue('--mono'),
    fontSize: 14,
    linkHandler: null,
    logLevel: 'off',
    minimumContrastRatio: 4.5,
    screenReaderMode: false,
    scrollback,
    theme: {
      background: color('--terminal'),
      foreground: color('--terminal-ink'),
      cursor: color('--terminal-ink'),
      selectionBackground: color('--terminal-selection'),
    },
  });
  for (const number of ignoredStrings) terminal.parser.registerOscHandler(number, () => true);
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  strict.during(() => terminal.open(element));
  terminal.textarea?.setAttribute('aria-label', label);
  const sizeOf = () => ({ columns: terminal.cols, rows: terminal.rows });
  const observer = new ResizeObserver(() => fit.fit());
  if (onSize) {
    fit.fit();
    observer.observe(element);
    terminal.onResize(() => onSize(sizeOf()));
  }
  if (onInput) {
    const encoder = new TextEncoder();
    terminal.onData((text) => onInput(encoder.encode(text)));
    // mouse reports of old programs, whose characters are bytes
    terminal.onBinary((text) => onInput(Uint8Array.from(text, (character) => character.charCodeAt(0))));
  }
  return {
    get size() {
      return sizeOf();
    },
    write: (data) => new Promise((resolve) => terminal.write(data, resolve)),
    resize({ columns, rows }) {
      const within = (value: number, most: number) => Math.min(most, Math.max(1, Math.trunc(value) || 1));
      // after what was written before
      terminal.write('', () => terminal.resize(within(columns, maxSize.columns), within(rows, maxSize.rows)));
    },
    reset: () => terminal.write('', () => terminal.reset()),
    focus: () => terminal.focus(),
    close() {
      observer.disconnect();
      terminal.dispose();
      strict.close();
    },
  };
}

/** Returns a colour as xterm.js reads it: `light-dark()` is resolved. */
function colorOf(element: HTMLElement, value: string): string {
  const probe = element.ownerDocument.createElement('span');
  probe.style.color = value;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
