import { readFileSync } from 'node:fs';
import { type Logger, pino } from 'pino';

/** Fields that are removed from log lines, in case a caller passes one. */
const secretFields = ['token', 'password', 'repoPassword', 'authorization', 'values', 'payload'];

/**
 * Returns a logger that writes lines of JSON to standard error, and gives them to `keep`. Default:
 * they are not kept.
 */
export function processLogger(level = 'info', keep?: (line: string) => void): Logger {
  const stderr = pino.destination({ dest: 2, sync: true });
  return pino(
    {
      level,
      redact: secretFields.flatMap((field) => [field, `*.${field}`]),
      timestamp: pino.stdTimeFunctions.isoTime,
      base: null,
      formatters: { level: (label) => ({ level: label }) },
    },
    keep === undefined
      ? stderr
      : {
          write(line) {
            stderr.write(line);
            keep(line);
          },
        },
  );
}

const levels: ReadonlySet<string> = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']);

/** Most characters of the file with the level. */
const maxLevelLength = 32;

/**
 * Uses the level in a file, now and whenever the file changes, so that a ConfigMap can change it.
 * An empty or missing file means the level that the logger has now. Returns a function that ends
 * that.
 */
export function followLogLevel(
  log: Pick<Logger, 'level' | 'warn'>,
  file: string | undefined,
  interval = 5000,
): () => void {
  if (!file) return () => undefined;
  const first = log.level;
  let last = '';
  const use = () => {
    const level = textOf(file).slice(0, maxLevelLength).trim() || first;
    if (level === last) return;
    last = level;
    if (levels.has(level)) {
      if (level !== log.level) log.warn({ level }, 'the log level changes');
      log.level = level;
    } else {
      log.warn({ file }, 'the file with the log level has none of trace, debug, info, warn, error, fatal and silent');
    }
  };
  use();
  const timer = setInterval(use, interval).unref();
  return () => clearInterval(timer);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
