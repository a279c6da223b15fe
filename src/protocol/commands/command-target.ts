/** The subject of a command, as far as its payload names it. */
export interface CommandTarget {
  /** Undefined for all namespaces. */
  namespace: string | undefined;
  /** Undefined for several releases, or for none. */
  releaseName: string | undefined;
}

/** Returns the target of a payload that was read. A plan names its release in its id. */
export function targetOf(payload: object): CommandTarget {
  if ('plan' in payload) {
    const [release] = textOf(payload.plan)?.split('@') ?? [];
    const [namespace, releaseName] = release?.split('/') ?? [];
    return { namespace, releaseName };
  }
  return {
    namespace: 'namespace' in payload ? textOf(payload.namespace) : undefined,
    releaseName: 'releaseName' in payload ? textOf(payload.releaseName) : undefined,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
