import { pino, type Logger } from 'pino';

/** Fields that are removed from log lines, in case a caller passes one. */
const secretFields = ['token', 'password', 'repoPassword', 'authorization', 'values', 'payload'];

/** Returns a logger that writes lines of JSON to standard error. */
export function processLogger(level = 'info'): Logger {
  return pino(
    {
      level,
      redact: secretFields.flatMap((field) => [field, `*.${field}`]),
      timestamp: pino.stdTimeFunctions.isoTime,
      base: null,
      formatters: { level: (label) => ({ level: label }) },
    },
    pino.destination({ dest: 2, sync: true }),
  );
}
