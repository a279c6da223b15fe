import test from 'ava';
import { provenanceOf } from '../../tools/image-provenance.ts';

const digest = '0'.repeat(64);
const origin = {
  files: { 'helm-agent.mjs': '2'.repeat(64), LICENSE: '1'.repeat(64) },
  ...{ lockDigest: '3'.repeat(64), base: `docker.io/library/node@sha256:${digest}`, version: '1.2.3' },
};

test('the provenance of an image names its files, its source, its packages and its base', (t) => {
  t.like(provenanceOf({ ...origin, revision: 'abc' }), {
    _type: 'https://in-toto.io/Statement/v1',
    predicateType: 'https://slsa.dev/provenance/v1',
    subject: {
      0: { name: 'LICENSE', digest: { sha256: '1'.repeat(64) } },
      1: { name: 'helm-agent.mjs', digest: { sha256: '2'.repeat(64) } },
    },
    predicate: {
      buildDefinition: {
        externalParameters: { base: origin.base, version: '1.2.3', revision: 'abc' },
        resolvedDependencies: {
          0: { uri: 'git+https://github.com/helm-agent/helm-agent', digest: { gitCommit: 'abc' } },
          1: { uri: 'package-lock.json', digest: { sha256: '3'.repeat(64) } },
          2: { uri: 'oci://docker.io/library/node', digest: { sha256: digest } },
        },
      },
    },
  });
});

test('a provenance leaves out what the build does not know', (t) => {
  const text = JSON.stringify(provenanceOf({ ...origin, base: 'localhost/node:24' }));
  t.true(text.includes('{"uri":"git+https://github.com/helm-agent/helm-agent"}'));
  t.true(text.includes('{"uri":"oci://localhost/node:24"}'));
  t.false(text.includes('revision'));
});

test('the same source has the same provenance', (t) => {
  const files = { LICENSE: '1'.repeat(64), 'helm-agent.mjs': '2'.repeat(64) };
  t.deepEqual(provenanceOf(origin), provenanceOf({ ...origin, files }));
});
