import test from 'ava';
import { upgradeAgent } from '../../../src/protocol/commands/upgrade-agent.ts';

const digest = `sha256:${'0'.repeat(64)}`;

const images: [payload: object, isValid: boolean][] = [
  [{ imageTag: '1.5.0' }, true],
  [{ imageRepository: 'registry.example:5000/acme/helm-agent', imageTag: '1.5.0' }, true],
  [{ imageDigest: digest }, true],
  // each would set another value of the chart
  [{ imageTag: '1,rights.clusterRole=admin' }, false],
  [{ imageRepository: 'a,serviceAccount.name=other' }, false],
  [{ imageTag: 'a\\,b' }, false],
  [{ imageTag: '{a}' }, false],
  [{ imageDigest: `${digest},image.tag=x` }, false],
  [{ imageTag: '1.5.0\nx: y' }, false],
  [{ imageTag: 'a'.repeat(129) }, false],
  [{ imageRepository: 'a'.repeat(513) }, false],
];

for (const [payload, isValid] of images) {
  const shown = JSON.stringify(payload).slice(0, 80);
  test(`${isValid ? 'accepts' : 'refuses'} ${shown}`, (t) => {
    t.is(upgradeAgent.payload.safeParse(payload).success, isValid);
  });
}

test('a command names no release and no namespace, which the agent knows', (t) => {
  t.false('releaseName' in upgradeAgent.fields);
  t.false('namespace' in upgradeAgent.fields);
  t.is(upgradeAgent.changes({}), upgradeAgent.changes({ imageTag: 'x' }));
});
