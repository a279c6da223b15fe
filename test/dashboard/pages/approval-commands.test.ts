import test from 'ava';
import { approvalCommands } from '../../../src/dashboard/pages/approval-commands.ts';

const digest = '3f9c2a7b81d4'.padEnd(64, '0');

test('a plan is approved by ctl with its whole digest, or by an annotation of its Secret', (t) => {
  t.deepEqual(approvalCommands('edge-1', { plan: 'shop/web@3f9c2a7b81d4', digest, secret: 'helm-agent/plan.1' }), {
    ctl: `helm-agent ctl approve-plan shop/web@${digest} \\\n  --agent edge-1 --sign-key KEY.pem`,
    kubectl: `kubectl annotate secret -n helm-agent plan.1 \\\n  helm-agent/approved=${digest}`,
  });
});

test('without a Secret, only the command of ctl is shown', (t) => {
  const commands = approvalCommands('edge-1', { plan: 'shop/web@3f9c2a7b81d4', digest });
  t.deepEqual(Object.keys(commands), ['ctl']);
});

test('what an agent says is one word of a command, and no flag', (t) => {
  const { ctl } = approvalCommands("a'; rm -rf ~ #", { plan: 'shop/$(id)@3f9c2a7b81d4', digest });
  t.regex(ctl ?? '', /^helm-agent ctl approve-plan 'shop\/\$\(id\)@[0-9a-f]{64}' /);
  t.regex(ctl ?? '', /--agent 'a'\\''; rm -rf ~ #' --sign-key/);
  t.regex(approvalCommands('--server=evil', { plan: 'shop/web@1', digest }).ctl ?? '', /--agent=--server=evil /);
});

const wrongPlans = {
  'an id that is a flag': { plan: '--sign-key=x/web@1', digest },
  'a line break': { plan: 'shop/web\nrm -rf ~@1', digest },
  'a digest that is none': { plan: 'shop/web@1', digest: '$(id)' },
};
for (const [name, plan] of Object.entries(wrongPlans)) {
  test(`a plan with ${name} has no commands`, (t) => {
    t.deepEqual(approvalCommands('edge-1', plan), {});
  });
}

for (const secret of ['a/b/c', '-n/x', 'a/--all', 'a/$(id)', 'a', '/']) {
  test(`the Secret ${secret} is in no command`, (t) => {
    const { kubectl } = approvalCommands('edge-1', { plan: 'shop/web@1', digest, secret });
    t.is(kubectl, undefined);
  });
}
