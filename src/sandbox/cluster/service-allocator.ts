import { ensureObject, type JsonObject, objectsAt, stringAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';

/** Allocates cluster IPs and node ports when a Service is written, like the API server. */
export interface ServiceAllocator {
  /** Allocates the addresses and ports that a new Service does not specify. */
  assign(service: KubeObject): void;
  /**
   * Keeps the addresses and ports that an update does not specify, and allocates those that it
   * needs in addition.
   */
  keepOrAssign(current: KubeObject, next: KubeObject): void;
}

export function createServiceAllocator(): ServiceAllocator {
  let lastAddress = 10; // 10.96.0.1 is the API server, 10.96.0.10 the DNS server
  let lastPort = 30_000;

  const nextAddress = (): string => {
    lastAddress++;
    return `10.96.${Math.floor(lastAddress / 250)}.${(lastAddress % 250) + 1}`;
  };

  const assignMissing = (spec: JsonObject): void => {
    const type = stringAt(spec, 'type');
    if (type === 'ExternalName') return;
    if (!spec['clusterIP']) spec['clusterIP'] = nextAddress();
    spec['clusterIPs'] = [spec['clusterIP']];
    if (type !== 'NodePort' && type !== 'LoadBalancer') return;
    spec['externalTrafficPolicy'] ??= 'Cluster';
    if (type === 'LoadBalancer') spec['allocateLoadBalancerNodePorts'] ??= true;
    for (const port of objectsAt(spec, 'ports')) port['nodePort'] ??= ++lastPort;
  };

  return {
    assign(service) {
      assignMissing(ensureObject(service, 'spec'));
    },
    keepOrAssign(current, next) {
      const spec = ensureObject(next, 'spec');
      if (stringAt(spec, 'type') === 'ExternalName') return;
      if (!spec['clusterIP']) spec['clusterIP'] = stringAt(current, 'spec', 'clusterIP') ?? '';
      const before = objectsAt(current, 'spec', 'ports');
      for (const port of objectsAt(spec, 'ports')) {
        const same = before.find((old) => old['port'] === port['port'] && old['protocol'] === port['protocol']);
        if (
          port['nodePort'] === undefined &&
          same?.['nodePort'] !== undefined &&
          stringAt(spec, 'type') !== 'ClusterIP'
        ) {
          port['nodePort'] = same['nodePort'];
        }
      }
      assignMissing(spec);
    },
  };
}
