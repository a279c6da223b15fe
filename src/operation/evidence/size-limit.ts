import type { ContainerEvidence, Evidence } from './evidence.ts';

/** Bytes of evidence as JSON. */
const maxBytes = 256 * 1024;

/** Longest log of a container, in UTF-16 units. It is halved until the evidence fits. */
const longestLog = 32 * 1024;

/** Shortens logs, and then leaves out resources, until the evidence fits in a packet of its own. */
export function limitedEvidence(evidence: Evidence): Evidence {
  for (let length = longestLog; length >= 64; length /= 2) {
    const shortened = withLogs(evidence, length);
    if (Buffer.byteLength(JSON.stringify(shortened)) <= maxBytes) return shortened;
  }
  const { resources } = withLogs(evidence, 0);
  return resources.length <= 1 ? { resources: [] } : limitedEvidence({ resources: resources.slice(0, -1) });
}

function withLogs(evidence: Evidence, length: number): Evidence {
  const shortened = (container: ContainerEvidence): ContainerEvidence => ({
    ...container,
    ...(container.log !== undefined && { log: endOf(container.log, length) }),
    ...(container.previousLog !== undefined && { previousLog: endOf(container.previousLog, length) }),
  });
  return {
    resources: evidence.resources.map((resource) => ({
      ...resource,
      pods: resource.pods.map((pod) => ({ ...pod, containers: pod.containers.map(shortened) })),
    })),
  };
}

function endOf(log: string, length: number): string {
  return log.length <= length ? log : `…${log.slice(log.length - length)}`.toWellFormed();
}
