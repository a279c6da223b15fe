import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Returns what `kubectl auth can-i --list` prints about a namespace, for the user of the arguments,
 * sorted, without what all users may do.
 */
export async function listedRights(args: readonly string[], namespace: string): Promise<string[]> {
  const kubectl = `${process.env['HELM_BIN'] ?? ''}/kubectl`;
  const list = [...args, 'auth', 'can-i', '--list', '--no-headers', '-n', namespace];
  const { stdout } = await run(kubectl, list);
  const lines = stdout.split('\n').map((line) => line.trim().replaceAll(/ {2,}/g, ' '));
  const own = lines.filter((line) => line !== '' && !line.startsWith('[') && !/^self\w+\./.test(line));
  return [...new Set(own)].sort();
}

/**
 * Returns the rights to its own namespace that docs/permissions.md gives an agent that
 * impersonates, as {@link listedRights} does, without those for support bundles.
 */
export function documentedRights(): string[] {
  const text = readFileSync(new URL('../../docs/permissions.md', import.meta.url), 'utf8');
  const [, section = ''] = /^## Rights by impersonation\n([^]*?)^## /m.exec(text) ?? [];
  const rows = section.matchAll(/^\| (`.*?) in its own namespace +\| ([\w, ]+?) +\| (.*?) +\|$/gm);
  const lines = [...rows].flatMap(([, resources = '', verbs = '', purpose = '']) => {
    if (purpose.includes('if the owner allows')) return [];
    const [, group] = /\(([\w.]+)\)/.exec(resources) ?? [];
    const names = [...resources.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
    return names.map((name) => `${name}${group ? `.${group}` : ''} [] [] [${verbs.replaceAll(',', '')}]`);
  });
  return lines.sort();
}
