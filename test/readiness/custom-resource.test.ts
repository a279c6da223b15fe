import test from 'ava';
import type { KubeObject } from '../../src/objects/object.ts';
import { isUntouched } from '../../src/readiness/custom-resource.ts';

function object(rest: object = {}, { apiVersion = 'example.com/v1', version = '5' } = {}): KubeObject {
  return { apiVersion, kind: 'Widget', metadata: { name: 'a', generation: 2, resourceVersion: version }, ...rest };
}

const conditions = [{ type: 'Ready', status: 'True' }];

const cases: [title: string, object: KubeObject, expected: boolean][] = [
  ['one without status', object(), true],
  ['one with an empty status', object({ status: {} }), true],
  ['one without status that someone has changed since', object({}, { version: '6' }), true],
  ['one with a status from before the apply', object({ status: { conditions } }), true],
  ['one with a status that was written after the apply', object({ status: { conditions } }, { version: '6' }), false],
  ['one whose controller had nothing to do', object({ status: { observedGeneration: 2 } }), false],
  ['one whose controller is behind', object({ status: { observedGeneration: 1 } }), true],
  ['an object of Kubernetes', object({}, { apiVersion: 'networking.k8s.io/v1' }), false],
  ['an object of the core', object({}, { apiVersion: 'v1' }), false],
];

for (const [title, given, expected] of cases) {
  test(`${title} ${expected ? 'does not show' : 'needs not show'} what its controller has done`, (t) => {
    t.is(isUntouched(given, '5'), expected);
  });
}
