import test, { type ExecutionContext } from 'ava';
import { answerProbe, type Health } from '../../src/net/health.ts';

const health: Health = {
  live: () => [{ name: 'reconnection', isOk: true }],
  ready: () => [
    { name: 'leader-election', isOk: true, detail: 'leads' },
    { name: 'journal', isOk: false },
  ],
};

const answers = test.macro({
  exec(t: ExecutionContext, url: string, status: 200 | 404 | 503 | undefined, text?: string) {
    const answer = answerProbe(url, health);
    t.is(answer?.status, status);
    if (text !== undefined) t.is(answer?.text, text);
  },
  title: (_: string | undefined, url: string) => `responds to ${url.slice(0, 60)} as a component of Kubernetes does`,
});

test(answers, '/livez', 200, 'ok\n');
test(answers, '/healthz', 200, 'ok\n');
test(answers, '/livez?verbose', 200, '[+]ping ok\n[+]reconnection ok\nlivez check passed\n');
test(answers, '/readyz', 503, '[+]ping ok\n[+]leader-election ok: leads\n[-]journal failed\nreadyz check failed\n');
test(answers, '/readyz?exclude=journal', 200, 'ok\n');
test(
  answers,
  '/readyz?verbose=true&exclude=journal',
  200,
  '[+]ping ok\n[+]leader-election ok: leads\nreadyz check passed\n',
);
test(answers, '/readyz?verbose=?&exclude=journal', 200);
test(answers, '/readyz/ping', 200, 'ok\n');
test(answers, '/readyz/journal', 503, '[-]journal failed\nreadyz check failed\n');
test(answers, '/readyz/etcd', 404);
test(answers, '/readyz/', undefined);
test(answers, '/readyz/a/b', undefined);
test(answers, '/metrics', undefined);
test(answers, '/', undefined);
test(answers, `/readyz?${'exclude=journal&'.repeat(100_000)}`, 200, 'ok\n');
test(answers, `/readyz/${'a'.repeat(100_000)}`, undefined);
test(answers, `/readyz?${'%'.repeat(100_000)}`, 503);
