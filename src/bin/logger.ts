import { pino, type Logger } from 'pino';

/** Fields that must not be seen in a log, should a caller put one there. */
const secretFields = ['token', 'password', 'repoPassword', 'authorization', 'values', 'payload'];

/** Logs lines of JSON to standard error, which leaves standard output to answers. The level comes from `HELM_AGENT_LOG_LEVEL`; default `info`. */
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
