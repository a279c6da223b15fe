import { readFile } from 'node:fs/promises';
import test from 'ava';

/** A file below test/, and a text of it that names the test or the attack. */
type Proof = readonly [file: string, text: string];

const redTeam = 'e2e/red-team.test.ts';

/** Attacks of a control plane in the hands of an attacker, and their tests. */
const attacks: Readonly<Record<string, { unit: Proof; e2e: Proof }>> = {
  'a command that is not signed': {
    unit: ['policy/signed-rules.test.ts', 'a command without a signature is refused'],
    e2e: [redTeam, "install('unsigned')"],
  },
  'a command that was altered': {
    unit: ['signatures/command-statement.test.ts', 'a changed payload is refused'],
    e2e: [redTeam, "install('altered')"],
  },
  'a command that is sent again': {
    unit: ['signatures/used-signatures.test.ts', 'a signature is used once'],
    e2e: [redTeam, "key: 'again'"],
  },
  'commands in another order': {
    unit: ['signatures/used-signatures.test.ts', 'commands on a release keep the order in which they were signed'],
    e2e: [redTeam, "attack(delayed, 'signature_replayed'"],
  },
  'a command that was kept back': {
    unit: ['signatures/command-statement.test.ts', 'a signature expires'],
    e2e: [redTeam, "install('kept-back')"],
  },
  'a command for another agent': {
    unit: ['signatures/command-statement.test.ts', 'a command for another agent is refused'],
    e2e: [redTeam, "install('sent-elsewhere')"],
  },
  'a signature for another type of command': {
    unit: ['signatures/command-statement.test.ts', 'a command of another type is refused'],
    e2e: [redTeam, "attack(retyped, 'signature_invalid'"],
  },
  'a signature by the wrong key': {
    unit: ['policy/signed-rules.test.ts', 'a signature of an unknown key is refused'],
    e2e: [redTeam, "install('own-key')"],
  },
  'a signed command outside of the policy': {
    unit: ['bin/signed-commands.test.ts', 'a signature does not help against other limits of the policy'],
    e2e: [redTeam, "install('out', "],
  },
  'a signed command outside of its window': {
    unit: ['policy/command-policy.test.ts', 'a window is closed at its end'],
    e2e: [redTeam, "install('late', "],
  },
  'a harmless plan that is shown, and another one that is applied': {
    unit: ['bin/approved-plans.test.ts', 'an approval of a harmless plan is none of another one'],
    e2e: [redTeam, 'only what was approved is applied'],
  },
  'an approval of a plan that is out of date': {
    unit: ['bin/approved-plans.test.ts', 'the approval of a plan that is out of date is withdrawn'],
    e2e: [redTeam, 'an approval of a plan that is out of date is withdrawn'],
  },
  'an old version of the agent': {
    unit: ['policy/command-policy.test.ts', "'an older version': "],
    e2e: [redTeam, "key: 'old-agent'"],
  },
  'an image of the attacker for the agent': {
    unit: ['policy/command-policy.test.ts', 'an agent is not upgraded to the image of another'],
    e2e: [redTeam, "key: 'own-image'"],
  },
  'a forged result': {
    unit: ['signatures/result-statement.test.ts', 'a result that was changed'],
    e2e: ['e2e/signed-commands.test.ts', 'a control plane cannot report another result than the agent has signed'],
  },
  'a chart that is swapped under its version': {
    unit: ['bin/chart-digest.test.ts', 'checks the digest of a chart that it downloads'],
    e2e: [redTeam, "install('swapped', "],
  },
  'a chart that another identity has signed without a key': {
    unit: ['source/verification/keyless.test.ts', "'another identity',"],
    e2e: ['e2e/chart-sources.test.ts', "'keyless-b'"],
  },
  'a certificate of another authority': {
    unit: ['source/verification/keyless.test.ts', "'a certificate of another authority',"],
    e2e: ['e2e/chart-sources.test.ts', "'keyless-c'"],
  },
  'the signature of another chart': {
    unit: ['source/verification/keyless.test.ts', 'the bundle of another chart is refused'],
    e2e: ['e2e/chart-sources.test.ts', "'keyless-d'"],
  },
  'a malicious chart with a signature': {
    unit: ['bin/policy.test.ts', 'is refused before anything changes'],
    e2e: [redTeam, 'a malicious chart stays within the policy, also with a signature'],
  },
  'a tenant who may write in one namespace': {
    unit: ['bin/approved-plans.test.ts', 'who may change the Secrets of the agent approves by an annotation'],
    e2e: [redTeam, 'a tenant cannot approve'],
  },
};

for (const [attack, { unit, e2e }] of Object.entries(attacks)) {
  test(`${attack}: it has a test of its own, and one on a real cluster`, async (t) => {
    for (const [file, text] of [unit, e2e]) {
      const content = await readFile(new URL(`../${file}`, import.meta.url), 'utf8');
      t.true(content.includes(text), `${file} has no ${text}`);
    }
  });
}
