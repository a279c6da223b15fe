import test from 'ava';
import type { Readiness, WaitStrategy } from '../../src/readiness/status.ts';
import { waitReadiness } from '../../src/readiness/wait-readiness.ts';

const ingress = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } };

/**
 * The status of a Service by the rules of Helm 4's watcher, which are kstatus's (serviceConditions
 * in github.com/fluxcd/cli-utils, pkg/kstatus/status/core.go), and by those of `legacy`
 * (serviceReady in Helm's pkg/kube/ready.go). Only the latter waits for an address.
 */
const rows: [title: string, spec: object, status: object, watcher: Readiness['status'], legacy: Readiness['status']][] =
  [
    ['a load balancer without a cluster IP', { type: 'LoadBalancer' }, {}, 'InProgress', 'InProgress'],
    [
      'a load balancer without an address',
      { type: 'LoadBalancer', clusterIP: '10.0.0.1' },
      { loadBalancer: {} },
      'Current',
      'InProgress',
    ],
    [
      'a load balancer with an external IP of its own',
      { type: 'LoadBalancer', clusterIP: '10.0.0.1', externalIPs: ['192.0.2.9'] },
      {},
      'Current',
      'Current',
    ],
    ['a load balancer with an address', { type: 'LoadBalancer', clusterIP: '10.0.0.1' }, ingress, 'Current', 'Current'],
    [
      'a load balancer with an address, but without a cluster IP',
      { type: 'LoadBalancer' },
      ingress,
      'InProgress',
      'InProgress',
    ],
    [
      'a load balancer of a class of its own',
      { type: 'LoadBalancer', clusterIP: '10.0.0.1', loadBalancerClass: 'example.com/internal' },
      {},
      'Current',
      'InProgress',
    ],
    ['a Service without a cluster IP', {}, {}, 'Current', 'InProgress'],
    ['a headless Service', { clusterIP: 'None' }, {}, 'Current', 'Current'],
    ['an external name', { type: 'ExternalName', externalName: 'db.example' }, {}, 'Current', 'Current'],
  ];

for (const [title, spec, status, watcher, legacy] of rows) {
  for (const [strategy, wanted] of [
    ['watcher', watcher],
    ['legacy', legacy],
  ] as const satisfies [WaitStrategy, Readiness['status']][]) {
    test(`${title} is ${wanted} by the strategy ${strategy}`, (t) => {
      const object = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web', namespace: 'shop' }, spec, status };
      const related = { replicaSets: [], pods: [], events: [] };
      t.is(waitReadiness(object, () => related, { now: 0, strategy }).status, wanted);
    });
  }
}
