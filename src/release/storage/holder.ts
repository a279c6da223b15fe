import type { KubeObject } from '../../objects/object.ts';
import type { Holder } from './kube-storage-options.ts';

const agentAnnotation = 'helm-agent/agent';
const instanceAnnotation = 'helm-agent/instance';

/**
 * Returns the annotations of a revision that an agent works on. Helm ignores them. A label would
 * become one of the release.
 */
export function holderAnnotations({ agentId, instanceId }: Holder): Record<string, string> {
  return { [agentAnnotation]: agentId, [instanceAnnotation]: instanceId };
}

/** Returns the id of the agent that works on a stored revision, if it says so. */
export function holdingAgent({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[agentAnnotation];
}
