import { pulledText } from '../downloader/index.ts';
import { quote } from '../go/strconv.ts';

type Level = 'INFO' | 'WARN' | 'ERROR';
type Attributes = Readonly<Record<string, string>>;

/** Returns a line of Helm's log as Go's slog writes it in text form, without the time. */
function logLine(level: Level, message: string, attributes: Attributes = {}): string {
  const pairs = Object.entries({ msg: message, ...attributes }).map(([key, value]) => `${key}=${logValue(value)}`);
  return `level=${level} ${pairs.join(' ')}\n`;
}

/** Returns functions that log what Helm logs, in its words. `write` receives the lines. */
export function helmLog(write: (line: string) => void) {
  return {
    /** Logs a notice about loading a chart. */
    notice: (message: string, attributes?: Attributes) => write(logLine('INFO', message, attributes)),
    /** Logs a notice about values or, if it has attributes, a warning about dependencies. */
    warn: (message: string, attributes?: Attributes) =>
      write(logLine(attributes === undefined ? 'INFO' : 'WARN', message, attributes)),
    /** Logs a notice about templates and hooks. */
    rendering: ({ level, message, attributes }: { level: Level; message: string; attributes: Attributes }) =>
      write(logLine(level, message, attributes)),
    error: (message: string, error: string) => write(logLine('ERROR', message, { error })),
    /**
     * Reports a download. Helm prints this on stdout, where it would end up among the manifests.
     */
    pulled: (reference: string, digest: string) => write(pulledText(reference, digest)),
    deprecated: () => write(logLine('WARN', 'this chart is deprecated')),
  };
}

export type HelmLog = ReturnType<typeof helmLog>;

/**
 * A value that slog's TextHandler writes without quotes: letters, digits and signs of any script.
 */
const plainValue = /^(?:[!#-<>-~]|(?![\0-\x7f\ufffd])[\p{L}\p{M}\p{N}\p{P}\p{S}])+$/u;

function logValue(text: string): string {
  return plainValue.test(text) ? text : quote(text);
}
