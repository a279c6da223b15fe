import { readFile } from 'node:fs/promises';
import test, { type ExecutionContext } from 'ava';
import { decide } from '../../src/policy/command-policy.ts';
import { PolicyError } from '../../src/policy/policy-error.ts';
import { readPolicy } from '../../src/policy/policy-rules.ts';
import type { PlannedCommand } from '../../src/policy/policy-scope.ts';
import { commandTable } from '../../src/protocol/commands/index.ts';

type Policy = ReturnType<typeof readPolicy>;

const policyOf = (rules: string, otherwise = 'deny') => readPolicy(`rules:\n${rules}\ndefault: ${otherwise}\n`);

function decided(policy: Policy, type: string, payload: object = {}, changes: object = {}) {
  const right = commandTable.find(type)?.definition.right ?? 'admin';
  const command = { type, right, namespace: 'shop', releaseName: 'web', sentBy: undefined, payload, chart: undefined };
  return decide(policy, { ...command, changes: type !== 'plan_release', ...changes }, { begins: new Date(0) });
}

const planned = (policy: Policy, payload: object = {}) =>
  decided(policy, 'plan_release', { action: 'install', ...payload });

function refusedWith(t: ExecutionContext, run: () => unknown, message: RegExp): void {
  t.regex(t.throws(run, { instanceOf: PolicyError }).message, message);
}

const see = '  - { name: see, commands: [read] }';
const secretValues = { valuesFrom: [{ kind: 'Secret', name: 'tls', targetPath: 'a' }] };
const secrets = { apiVersion: 'v1', kind: 'Secret' };
const configMaps = { apiVersion: 'v1', kind: 'ConfigMap' };

for (const commands of ['deploy', 'install_release', 'apply_plan']) {
  for (const otherwise of ['deny', 'allow']) {
    const rules = (limits: string) =>
      policyOf(`${otherwise === 'deny' ? see : ''}\n  - { name: ship, commands: [${commands}], ${limits} }`, otherwise);

    test(`a plan reads within the rule for ${commands}, with default: ${otherwise}`, (t) => {
      const none = planned(rules('lookup: none'));
      refusedWith(t, () => none.requireLookup(false, () => 'Secret tls'), /rule ship .*lookup: Secret tls/);
      const own = planned(rules('lookup: release'));
      t.notThrows(() => own.requireLookup(false, () => 'Secret tls'));
      refusedWith(t, () => own.requireLookup(true, () => 'Secret tls'), /rule ship .*lookup: /);
      const denied = planned(rules('deniedReadKinds: [Secret]'));
      t.notThrows(() => denied.requireRead(configMaps));
      refusedWith(t, () => denied.requireRead(secrets), /rule ship .*deniedReadKinds: Secret/);
      const listed = planned(rules('readKinds: [ConfigMap]'));
      t.notThrows(() => listed.requireRead(configMaps));
      refusedWith(t, () => listed.requireRead(secrets), /rule ship .*readKinds: Secret/);
    });

    test(`a plan takes values within the rule for ${commands}, with default: ${otherwise}`, (t) => {
      refusedWith(t, () => planned(rules('valuesFrom: []'), secretValues), /rule ship .*valuesFrom: Secret\/tls/);
      t.notThrows(() => planned(rules('valuesFrom: []')));
      t.notThrows(() => planned(rules('valuesFrom: [Secret/tls]'), secretValues));
      refusedWith(t, () => planned(rules('sizes: { values: 9 }'), { values: 'a: 123456789' }), /rule ship .*sizes/);
    });
  }
}

test('a plan keeps the limits of its own rule', (t) => {
  const own = '  - { name: see, commands: [read], lookup: none, deniedReadKinds: [Secret], valuesFrom: [] }';
  const policy = policyOf(`${own}\n  - { name: ship, commands: [deploy], lookup: all }`);
  refusedWith(t, () => planned(policy).requireLookup(false, () => 'x'), /rule see .*lookup/);
  refusedWith(t, () => planned(policy).requireRead(secrets), /rule see .*deniedReadKinds/);
  refusedWith(t, () => planned(policy, secretValues), /rule see .*valuesFrom/);
});

test('a rule for the command without lookup leaves that to the agent, also for its plans', (t) => {
  const all = '  - { name: see, commands: [read], lookup: all }';
  t.is(planned(policyOf(`${all}\n  - { name: ship, commands: [deploy] }`)).lookup, undefined);
  t.is(planned(policyOf(`${all}\n  - { name: ship, commands: [apply_plan] }`)).lookup, 'all');
  t.is(planned(policyOf(`${see}\n  - { name: ship, commands: [deploy], lookup: all }`)).lookup, undefined);
});

test('those who may only read can plan, also what a rule refuses to them', (t) => {
  t.is(planned(policyOf(see), secretValues).rule, 'see');
  t.notThrows(() => planned(policyOf(`${see}\n  - { name: ship, commands: [deploy], deny: by hand }`), secretValues));
  t.notThrows(() => planned(policyOf(`${see}\n  - { name: ship, callers: [ci], valuesFrom: [] }`), secretValues));
});

test('values of a plan are within the rules by which it is performed', (t) => {
  const perform = (rules: string) => () => {
    decided(policyOf(rules), 'apply_plan').requirePlanned?.('install_release', secretValues);
  };
  t.notThrows(perform('  - { name: ship, commands: [apply_plan] }'));
  refusedWith(t, perform('  - { name: ship, commands: [apply_plan], valuesFrom: [] }'), /rule ship .*Secret\/tls/);
  refusedWith(
    t,
    perform('  - { name: plans, commands: [apply_plan] }\n  - { name: ship, commands: [deploy], valuesFrom: [] }'),
    /rule ship .*valuesFrom: Secret\/tls/,
  );
});

const performed = test.macro((t, commands: string, type: PlannedCommand, refusal?: RegExp, otherwise?: string) => {
  const rules = `${see}\n  - { name: ship, releases: [web], commands: [${commands}] }`;
  const run = () => decided(policyOf(rules, otherwise), 'apply_plan').requirePlanned?.(type, {});
  if (refusal === undefined) t.notThrows(run);
  else refusedWith(t, run, refusal);
});
const noRule = /^no rule of the policy is for uninstall_release on the release web in the namespace shop/;

test('a plan of a command that a rule names', performed, 'uninstall_release, apply_plan', 'uninstall_release');
test('a plan of a command that no rule names', performed, 'install_release, apply_plan', 'uninstall_release', noRule);
test('a plan of a command that a right names', performed, 'deploy', 'uninstall_release');
test('a plan, by a rule that names plans and no command', performed, 'apply_plan', 'uninstall_release');
test('a plan, by a rule that names plans and what reads', performed, 'read, apply_plan', 'uninstall_release');
test(
  'a plan, by a rule that names plans and other commands',
  performed,
  'apply_plan, test_release, rollback_release',
  'uninstall_release',
  noRule,
);
test(
  'a plan of a command that no rule names, with default: allow',
  performed,
  'install_release, apply_plan',
  'uninstall_release',
  undefined,
  'allow',
);

test('a plan of a command of other callers or other releases is refused', (t) => {
  for (const others of ['callers: [ci]', 'releases: [db]', 'namespaces: [other]']) {
    const rules = `  - { name: other, ${others}, commands: [uninstall_release] }`;
    const policy = policyOf(`${rules}\n  - { name: ship, commands: [install_release, apply_plan] }`);
    refusedWith(t, () => decided(policy, 'apply_plan').requirePlanned?.('uninstall_release', {}), noRule);
  }
});

test('an upgrade of the agent needs no rule for the upgrade of its release', (t) => {
  const rule = "images: ['ghcr.io/acme/helm-agent:*'], agentVersions: '>=1.4.0'";
  const policy = policyOf(`  - { name: own, commands: [upgrade_agent], ${rule} }`);
  t.notThrows(() => decided(policy, 'upgrade_agent').requirePlanned?.('upgrade_release', {}));
});

test('the policy for production performs plans of deployments, and none of uninstallations', async (t) => {
  const file = new URL('../../deploy/policies/production.yaml', import.meta.url);
  const policy = readPolicy((await readFile(file, 'utf8')).replace(/ {4}windows:\n.*\n/, ''));
  const place = { namespace: 'production-shop', packet: 'unsent' };
  const limits = decided(policy, 'apply_plan', {}, place);
  for (const type of ['install_release', 'upgrade_release', 'rollback_release'] as const) {
    t.notThrows(() => limits.requirePlanned?.(type, {}), type);
  }
  refusedWith(t, () => limits.requirePlanned?.('uninstall_release', {}), /no-uninstall .*uninstalled by hand/);
});
