import { quote } from '../go/strconv.ts';

/** A line of Helm's log on stderr: what Go's slog writes as text, without the time. */
export function logLine(
  level: 'INFO' | 'WARN' | 'ERROR',
  message: string,
  attributes: Readonly<Record<string, string>> = {},
): string {
  const pairs = Object.entries({ msg: message, ...attributes }).map(([key, value]) => `${key}=${logValue(value)}`);
  return `level=${level} ${pairs.join(' ')}\n`;
}

function logValue(text: string): string {
  return /^[!#-<>-~]+$/.test(text) ? text : quote(text);
}
