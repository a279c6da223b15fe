/** Something that must hold for a process to be alive or ready. */
export interface HealthCheck {
  /** In kebab-case. */
  name: string;
  isOk: boolean;
  /** Its present state, in this program's own words. */
  detail?: string | undefined;
}

/** The checks of a process, as they are now. */
export interface Health {
  /** If one fails, the process has to be replaced. */
  live(): HealthCheck[];
  /** If one fails, the process cannot do its work now. */
  ready(): HealthCheck[];
}

/** Whether all checks hold. */
export function areOk(checks: readonly HealthCheck[]): boolean {
  return checks.every(({ isOk }) => isOk);
}

/** A response to a probe. */
export interface ProbeAnswer {
  status: 200 | 404 | 503;
  text: string;
}

/** Longest part of a URL that is read after its path. */
const maxQueryLength = 1024;

/**
 * Returns the response to `/livez`, `/readyz` and `/healthz`, an older name of `/livez`, in the
 * form of Kubernetes: `?verbose` lists the checks, `?exclude=NAME` leaves one out, and
 * `/readyz/NAME` is the result of one. The status of a failure is 503. Undefined for other paths.
 */
export function answerProbe(url: string, health: Health): ProbeAnswer | undefined {
  const [path = '', ...queryParts] = url.split('?');
  const [, probe = '', only] = /^\/(livez|readyz|healthz)(?:\/([\w-]{1,64}))?$/.exec(path) ?? [];
  if (probe === '') return undefined;
  const parameters = new URLSearchParams(queryParts.join('?').slice(0, maxQueryLength));
  const excluded = new Set(parameters.getAll('exclude'));
  const all = [{ name: 'ping', isOk: true }, ...(probe === 'readyz' ? health.ready() : health.live())];
  const checks =
    only === undefined ? all.filter(({ name }) => !excluded.has(name)) : all.filter(({ name }) => name === only);
  if (checks.length === 0 && only !== undefined) return { status: 404, text: `${probe} has no check of this name\n` };
  const isOk = areOk(checks);
  const status = isOk ? 200 : 503;
  if (isOk && !parameters.has('verbose')) return { status, text: 'ok\n' };
  const lines = [...checks.map(lineOf), `${probe} check ${isOk ? 'passed' : 'failed'}`];
  return { status, text: `${lines.join('\n')}\n` };
}

function lineOf({ name, isOk, detail }: HealthCheck): string {
  return `[${isOk ? '+' : '-'}]${name} ${isOk ? 'ok' : 'failed'}${detail === undefined ? '' : `: ${detail}`}`;
}
