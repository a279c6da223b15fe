import type { KubeObject } from '../../objects/object.ts';
import { ensureObject, objectsAt, stringAt, type JsonObject } from '../../objects/fields.ts';

/** Hands out cluster addresses and node ports, as the API server does when a Service is written. */
export interface Allocator {
  /** Gives a new Service what it lacks. */
  assign(service: KubeObject): void;
  /** An update that does not name them keeps the addresses and ports it had, and gets those that it newly needs. */
  keep(current: KubeObject, next: KubeObject): void;
}

export function createAllocator(): Allocator {
  let lastAddress = 10; // 10.96.0.1 is the API's and 10.96.0.10 the DNS server's
  let lastPort = 30_000;

  const nextAddress = (): string => {
    lastAddress++;
    return `10.96.${Math.floor(lastAddress / 250)}.${(lastAddress % 250) + 1}`;
  };

  const complete = (spec: JsonObject): void => {
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
      complete(ensureObject(service, 'spec'));
    },
    keep(current, next) {
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
      complete(spec);
    },
  };
}
