import test from 'ava';
import type { EntryContext } from '../../src/journal/cluster/entry-context.ts';
import { encodeHead } from '../../src/journal/cluster/entry-head.ts';
import { FinishedEntries } from '../../src/journal/cluster/finished-entries.ts';

const mebibyte = 2 ** 20;

test('outcomes in parts count with their size after a restart', async (t) => {
  const secrets = Array.from({ length: 20 }, (_, index) => {
    const head = encodeHead({
      ...{ format: 1, agentId: 'edge-1', key: `k${index}`, fingerprint: 'f', type: 'install_release' },
      ...{ isAnonymous: false, holder: 'h', acceptedAt: index, order: index, finishedAt: 1000 + index },
      parts: { outcome: 4 },
    });
    return { apiVersion: 'v1', kind: 'Secret', metadata: { name: `n${index}`, namespace: 'agent' }, data: { head } };
  });
  const deleted: string[] = [];
  const context = {
    cluster: {
      list: () => Promise.resolve(secrets),
      delete: ({ name }: { name: string }) => Promise.resolve(deleted.push(name)),
    },
    ...{ namespace: 'agent', agentId: 'edge-1', now: () => 2000, onProblem: t.fail },
    signal: new AbortController().signal,
  } as unknown as EntryContext; // the parts that are used
  const limits = { maxFinished: 1000, maxBytes: 32 * mebibyte, maxAgeMs: 1e9 };
  await new FinishedEntries(context, limits).read();
  const entries = deleted.filter((name) => /^n\d+$/.test(name));
  t.deepEqual(entries, ['n0', 'n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7', 'n8', 'n9', 'n10', 'n11']);
});
