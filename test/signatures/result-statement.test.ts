import test from 'ava';
import { signResult, verifyResult } from '../../src/signatures/result-statement.ts';
import { newSigner } from './support/keys.ts';

const agent = newSigner();
const facts = { agentId: 'edge-1', key: 'k', fingerprint: 'a'.repeat(64), result: '{"ok":false}' };
const envelope = signResult(facts, agent);
const keys = [agent.publicKey];

test('a result that the agent has signed is accepted', (t) => {
  t.notThrows(() => verifyResult(envelope, facts, keys));
});

const forgeries = {
  'a result that was changed': { result: '{"ok":true}' },
  'a result of another key': { key: 'other' },
  'a result of another agent': { agentId: 'edge-2' },
  'a result of another command': { fingerprint: 'b'.repeat(64) },
};
for (const [what, changes] of Object.entries(forgeries)) {
  test(`${what} is refused`, (t) => {
    t.throws(() => verifyResult(envelope, { ...facts, ...changes }, keys), { code: 'signature_invalid' });
  });
}

test('a result that another key has signed is refused', (t) => {
  const forged = signResult({ ...facts, result: '{"ok":true}' }, newSigner());
  const claimed = { ...facts, result: '{"ok":true}' };
  t.throws(() => verifyResult(forged, claimed, keys), {
    code: 'signature_invalid',
    message: /no signature of the key/,
  });
});
