import test from 'ava';
import type { KubeObject } from '../../src/objects/object.ts';
import { findSecrets } from '../../src/redaction/find-secrets.ts';
import { redactTexts } from '../../src/redaction/redact-texts.ts';

const secret: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'db' },
  data: { password: Buffer.from('hunter2-long').toString('base64'), port: Buffer.from('5432').toString('base64') },
  stringData: { key: 'first line\nsecond line' },
};
const deployment: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    template: {
      spec: {
        containers: [
          {
            env: [
              { name: 'API_TOKEN', value: 'abcdef' },
              { name: 'MODE', value: 'production' },
            ],
          },
        ],
      },
    },
  },
};
const { texts: secrets } = findSecrets([secret, deployment], 'shop');

const rows: [text: string, found: string][] = [
  ['login with hunter2-long failed', 'login with *** failed'],
  ['data: aHVudGVyMi1sb25n', 'data: ***'],
  ['key:\n  second line', 'key:\n  ***'],
  ['port 5432 in production', 'port 5432 in production'],
  ['token=abcdef', 'token=***'],
  ['Authorization: Bearer abc.def-ghi', 'Authorization: Bearer ***'],
  ['authorization: basic dXNlcjpwYXNz', 'authorization: basic ***'],
  ['session-eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', 'session-***'],
  ['in base64: YWJjZGVm', 'in base64: ***'],
  ['{"text":"first line\\nsecond line"}', '{"text":"***"}'],
  ['jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', 'jwt ***'],
  ['dial postgres://app:s3cret@db:5432/shop', 'dial postgres://app:***@db:5432/shop'],
  ['dial redis://:p@ssw0rd@host/1', 'dial redis://:***@host/1'],
  ['dial redis://:p@@ss@host', 'dial redis://:***@host'],
  ['dial postgres://app@server:s3cret@db/shop', 'dial postgres://app@server:***@db/shop'],
  ['http://u:s3cret@web?mail=a@b http://u:s3cret@web#a@b', 'http://u:***@web?mail=a@b http://u:***@web#a@b'],
  ['{"url":"redis://:s3cret@host","mail":"a@b"}', '{"url":"redis://:***@host","mail":"a@b"}'],
  ['{"url":"http://app@web","mail":"a@b"}', '{"url":"http://app@web","mail":"a@b"}'],
  ['GET http://web:8080/ 200', 'GET http://web:8080/ 200'],
];

for (const [text, found] of rows) {
  test(`${JSON.stringify(text)} becomes ${JSON.stringify(found)}`, (t) => {
    t.deepEqual(redactTexts([text], secrets), [found]);
  });
}
