import { randomBytes } from 'node:crypto';
import test from 'ava';
import { RecentLines } from '../../src/agent/support/recent-lines.ts';
import { agentId, answerOf } from '../bin/support/world.ts';
import { eventually } from '../support/eventually.ts';
import { tenant } from './tenant.ts';

const rbac = 'rbac.authorization.k8s.io';

test('a bundle has the pods and events that the agent itself may list, without secrets of its namespace', async (t) => {
  const recentLines = new RecentLines();
  const { agent, admin, plane } = await tenant(t, {}, { allowedRights: ['read', 'support'], recentLines });
  const secret = `sentinel-${randomBytes(8).toString('hex')}`;
  const metadata = { name: 'bundle', namespace: agent };
  await admin.create({ apiVersion: 'v1', kind: 'Secret', metadata, stringData: { key: secret } });
  recentLines.add(`{"msg":"it was ${secret}"}\n`);
  await admin.create({
    ...{ apiVersion: 'v1', kind: 'Pod', metadata },
    spec: {
      nodeSelector: { nowhere: 'true' },
      containers: [{ name: 'a', image: 'nothing', env: [{ name: 'A', value: secret }], args: [secret] }],
    },
  });
  const now = new Date().toISOString();
  await admin.create({
    ...{
      apiVersion: 'v1',
      kind: 'Event',
      metadata,
      type: 'Warning',
      reason: 'Failed',
      message: `cannot use ${secret}`,
    },
    ...{ involvedObject: { apiVersion: 'v1', kind: 'Pod', ...metadata }, firstTimestamp: now, lastTimestamp: now },
  });

  const refused = await answerOf(plane.supportBundle(agentId, {}));
  for (const kind of ['pods', 'events']) {
    const reason = new RegExp(`^${kind}\\.jsonl: .*cannot list resource "${kind}"`);
    t.true(
      refused.missing?.some((text) => reason.test(text)),
      refused.missing?.join('\n'),
    );
  }
  const rules = [{ apiGroups: [''], resources: ['pods', 'events'], verbs: ['list'] }];
  await admin.create({ apiVersion: `${rbac}/v1`, kind: 'Role', metadata, rules });
  await admin.create({
    ...{ apiVersion: `${rbac}/v1`, kind: 'RoleBinding', metadata },
    ...{ roleRef: { apiGroup: rbac, kind: 'Role', name: 'bundle' } },
    subjects: [{ kind: 'ServiceAccount', name: 'helm-agent', namespace: agent }],
  });
  let { files } = refused;
  await eventually('the agent may list both', async () => {
    ({ files } = await answerOf(plane.supportBundle(agentId, {})));
    return ['pods.jsonl', 'events.jsonl'].every((name) => files.some((file) => file.name === name));
  });
  const content = (name: string) => files.find((file) => file.name === name)?.text ?? '';
  t.regex(content('pods.jsonl'), /"name":"bundle".*"phase":"Pending"/);
  t.regex(content('events.jsonl'), /cannot use \*\*\*/);
  t.regex(content('log.jsonl'), /it was \*\*\*/);
  t.regex(content('cluster.json'), /"gitVersion": "v1\./);
  t.regex(content('agent-rights.json'), /"leases"/);
  for (const { name, text } of [...files, ...refused.files]) t.false(text.includes(secret), name);
});
