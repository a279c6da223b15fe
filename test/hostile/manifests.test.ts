import test from 'ava';
import { configMap, crd } from '../operation/manifests.ts';
import { agentId, startAgentUnderAttack } from './support/agent-under-attack.ts';

const starting = startAgentUnderAttack();
test.after.always(async () => (await starting).close());

const sets = { count: 0 };

/** Applies manifests of someone who means harm, as often as `count` says at a time. */
function withstands(input: string, manifests: () => string, code: string, count = 1): void {
  test.serial(`withstands manifests: ${input}`, async (t) => {
    t.timeout(150_000, 'a busy machine');
    const agent = await starting;
    const text = manifests();
    // an attack that is repeated, because another program has caused a stall, owns its objects
    const names = Array.from({ length: count }, () => `set-${++sets.count}`);
    const send = (releaseName: string) => agent.plane.applyManifests(agentId, { releaseName, manifests: text });
    await agent.withstands(t, `manifests: ${input}`, () => names.map(send), code);
  });
}

const map = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n';
const most = 5 * 1024 * 1024 - 1024;

/** Returns a text that is as long as manifests may be. */
const filled = (start: string, repeated: string, end = '') =>
  `${start}${repeated.repeat(Math.floor((most - start.length - end.length) / repeated.length))}${end}`;

/** Returns lists of which each has nine of the one before. */
function aliases(): string {
  const lists = 'bcdefghij'.split('').map((name, index) => {
    const before = `*${'abcdefghi'[index] ?? ''}`;
    return `${name}: &${name} [${Array.from({ length: 9 }, () => before).join()}]\n`;
  });
  return `${map}a: &a [x]\n${lists.join('')}`;
}

withstands('separators only', () => filled('', '---\n'), 'invalid_manifest');
withstands('many comments', () => filled('', '# --- # Source: a\n'), 'invalid_manifest');
withstands('5 MiB of brackets', () => filled(`${map}x: `, '['), 'invalid_manifest');
withstands('5 MiB of indentation', () => filled(`${map.replace('a }', 'b }')}x:\n`, ' ', 'y'), 'ok');
withstands('aliases that multiply', aliases, 'invalid_manifest');
withstands('a list of many numbers', () => filled(`${map}x: [`, '1,', '1]\n'), 'too_large');
withstands('more objects than a manifest may have', () => filled('', `${map}---\n`), 'too_large');
withstands(
  'a List in a List, many times',
  () => {
    const depth = 2000;
    return `${'{"kind":"List","apiVersion":"v1","items":['.repeat(depth)}${']}'.repeat(depth)}`;
  },
  'invalid_manifest',
);
withstands('many template actions', () => `${map}data: { x: "${'{{ fail }}'.repeat(60_000)}" }\n`, 'ok');
withstands(
  '5 MiB of CRDs',
  () => {
    const one = crd('stall').replace('"scope"', `"description":"${'x'.repeat(500_000)}","scope"`);
    return Array.from({ length: 10 }, (_, index) => one.replaceAll('stall', `stall${index}`)).join('---\n');
  },
  'ok or release_too_large or invalid_manifest',
);
withstands('a name with a line break', () => configMap('a\n---\nb'), 'apply_failed');
withstands('eight sets of 5 MiB at a time', () => filled(`${map}x: [`, '1,', '1]\n'), 'too_large', 8);
