import { quote } from '../go/strconv.ts';

type Level = 'INFO' | 'WARN' | 'ERROR';
type Attributes = Readonly<Record<string, string>>;

/** A line of Helm's log on stderr: what Go's slog writes as text, without the time. */
function logLine(level: Level, message: string, attributes: Attributes = {}): string {
  const pairs = Object.entries({ msg: message, ...attributes }).map(([key, value]) => `${key}=${logValue(value)}`);
  return `level=${level} ${pairs.join(' ')}\n`;
}

/** Helm's log, and what takes its lines. */
export function helmLog(write: (line: string) => void) {
  return {
    /** What is logged while a chart is loaded. */
    notice: (message: string, attributes?: Attributes) => write(logLine('INFO', message, attributes)),
    /** What is logged of values, and with attributes of dependencies. */
    warn: (message: string, attributes?: Attributes) =>
      write(logLine(attributes === undefined ? 'INFO' : 'WARN', message, attributes)),
    /** What is logged of templates and hooks. */
    rendering: ({ level, message, attributes }: { level: Level; message: string; attributes: Attributes }) =>
      write(logLine(level, message, attributes)),
    error: (message: string, error: string) => write(logLine('ERROR', message, { error })),
    /** On stderr, other than Helm's: manifests that are piped on stay manifests. */
    pulled: (reference: string, digest: string) => write(`Pulled: ${reference}\nDigest: ${digest}\n`),
    deprecated: () => write(logLine('WARN', 'this chart is deprecated')),
  };
}

export type HelmLog = ReturnType<typeof helmLog>;

/** As slog's TextHandler decides: letters, digits and signs of any script stand as they are. */
const plainValue = /^(?:[!#-<>-~]|(?![\0-\x7f\ufffd])[\p{L}\p{M}\p{N}\p{P}\p{S}])+$/u;

function logValue(text: string): string {
  return plainValue.test(text) ? text : quote(text);
}
