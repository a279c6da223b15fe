import { spawnSync, type SpawnSyncReturns } from 'node:child_process';

/** A command line and what helm prints for it. */
export interface HelmRecord {
  args: string[];
  stdout: string;
  stderr: string;
  code: number | null;
}

/** The environment of the recorded command lines. */
export const helmEnvironment = { HOME: '/home/helm', KUBECONFIG: '/dev/null', HELM_NO_PLUGINS: '1' };

const any = Infinity;

/** Commands of helm that are compared, with the least and the most arguments that they accept. */
const commands: readonly (readonly [command: string, least: number, most: number])[] = [
  ['dependency build', 0, 1],
  ['dependency list', 0, 1],
  ['dependency update', 0, 1],
  ['env', 0, 1],
  ['get all', 1, 1],
  ['get hooks', 1, 1],
  ['get manifest', 1, 1],
  ['get metadata', 1, 1],
  ['get notes', 1, 1],
  ['get values', 1, 1],
  ['history', 1, 1],
  ['install', 0, any],
  ['lint', 1, any],
  ['list', 0, 0],
  ['package', 1, any],
  ['pull', 1, any],
  ['push', 2, any],
  ['registry login', 1, any],
  ['registry logout', 1, any],
  ['repo add', 2, 2],
  ['repo index', 1, 1],
  ['repo list', 0, 0],
  ['repo remove', 1, any],
  ['repo update', 0, any],
  ['rollback', 1, any],
  ['search repo', 0, any],
  ['show all', 1, 1],
  ['show chart', 1, 1],
  ['show crds', 1, 1],
  ['show readme', 1, 1],
  ['show values', 1, 1],
  ['status', 1, 1],
  ['template', 1, any],
  ['test', 1, 1],
  ['uninstall', 1, any],
  ['upgrade', 2, 2],
  ['verify', 1, 1],
  ['version', 0, 0],
];

/** Groups of commands, which have only a help text. */
const groups = ['', 'dependency', 'get', 'registry', 'repo', 'search', 'show'];

const chart = 'examples/charts/web';

/** Right usage that needs neither a cluster nor a network, and prints the same everywhere. */
const rightUsage = [
  `lint ${chart}`,
  `lint ${chart} --strict`,
  `lint ${chart} --quiet`,
  `lint ${chart} --with-subcharts --kube-version 1.30`,
  `lint ${chart} nosuch`,
  `lint ${chart} --set replicas=x`,
  `show all ${chart}`,
  `show chart ${chart}`,
  `show crds ${chart}`,
  `show readme ${chart}`,
  `show values ${chart}`,
  `show values ${chart} --jsonpath {.image}`,
  `show values ${chart} --jsonpath {.image`,
  `inspect values ${chart}`,
  'show chart ./nosuch',
  'show chart nosuch',
  'show chart nosuch/web',
  'show chart ftp://host/web',
  `dependency list ${chart}`,
  'dep ls ./nosuch',
  'dependency build ./nosuch',
  'dependency update package.json',
  'package nosuch',
  `package ${chart} --version x`,
  `package ${chart} --sign`,
  `package ${chart} --sign --key a --keyring=`,
  'pull nosuch',
  'fetch nosuch/web',
  'push nosuch oci://localhost:1/x',
  'push nosuch localhost',
  `push ${chart} oci://localhost:1/x`,
  'repo list',
  'repo list -o json',
  'repo ls -o yaml',
  'repo remove team',
  'repo update',
  'repo up team',
  'search repo',
  'search repo web --version ^1',
  'verify nosuch',
  `verify ${chart}`,
  'verify package.json',
  'env HELM_NAMESPACE',
  'env HELM_CACHE_HOME -n team',
  'env HELM_NAMESPACE -n team',
  'env HELM_KUBECONTEXT --kube-context c',
  'env HELM_NOTHING',
  'env HELM_DEBUG --debug=true',
  'version --template {{.GitTreeState}}',
  'version --template {{.Version',
  `template ${chart}`,
  `template web ${chart} -n team`,
  `template web ${chart} --set replicas=3,image=a:b`,
  `template web ${chart} --set-string replicas=3`,
  `template web ${chart} --set-json replicas=3`,
  `template web ${chart} --set-json replicas=`,
  `template web ${chart} --set-literal image=a,b`,
  `template web ${chart} --set =`,
  `template web ${chart} -f nosuch.yaml`,
  `template web ${chart} -s templates/service.yaml`,
  `template web ${chart} -s templates/*.yaml`,
  `template web ${chart} -s templates/nosuch.yaml`,
  `template web ${chart} --no-hooks`,
  `template web ${chart} --skip-tests --include-crds --is-upgrade`,
  `template web ${chart} --kube-version 1.20`,
  `template web ${chart} --kube-version x`,
  `template web ${chart} -a a/v1,b/v1 -a c/v1`,
  `template web ${chart} -g`,
  `template web ${chart} --name-template a`,
  `template ${chart} --name-template {{"a"|upper|lower}}`,
  `template ${chart} --name-template {{`,
  `template Web ${chart}`,
  `template web ${chart} more words`,
  `template ${chart} --dry-run=client`,
  `template ${chart} --dry-run`,
  `template ${chart} --dry-run=none`,
  `template ${chart} --dry-run=true`,
  `template ${chart} --dry-run=x`,
  `template ${chart} --force-replace --force-conflicts`,
  `template ${chart} --hide-notes --render-subchart-notes`,
  `template ${chart} --atomic`,
  `template ${chart} --verify=false --devel`,
  'template nosuch',
  'template ./nosuch',
  'template a nosuch/web',
];

/**
 * Returns right and wrong command lines. The wrong ones are made from the help of each command: no
 * and too many arguments, an unknown flag, and each flag without or with a wrong value.
 */
export function commandLines(helm: string): string[][] {
  const lines = rightUsage.map(wordsOf);
  for (const group of groups) lines.push([...wordsOf(group), '--help'], [...wordsOf(group), 'nosuch']);
  for (const [command, least, most] of commands) {
    const words = wordsOf(command);
    lines.push([...words, '--help'], [...words, '--nosuch'], [...words, '-Z', 'x']);
    const wrongCounts = [least - 1, most + 1].filter((count) => count >= 0 && count < any);
    lines.push(...wrongCounts.map((count) => [...words, ...Array.from({ length: count }, () => 'a')]));
    lines.push(...wrongFlags(helm, words));
  }
  return lines;
}

function wordsOf(line: string): string[] {
  return line.split(' ').filter((word) => word !== '');
}

function wrongFlags(helm: string, words: readonly string[]): string[][] {
  const { stdout } = runHelm(helm, [...words, '--help']);
  const [, own = ''] = /\nFlags:\n([^]*?)\n\n/.exec(stdout) ?? [];
  const lines: string[][] = [];
  for (const [, name = '', type = ''] of own.matchAll(
    /--([a-z-]+)(?: (int|uint|duration|string|strings|stringArray|format))? {3}/g,
  )) {
    if (name === 'help') continue;
    if (type === '') lines.push([...words, `--${name}=x`]);
    else if (['int', 'uint', 'duration', 'format'].includes(type)) lines.push([...words, `--${name}`, 'x']);
    else lines.push([...words, `--${name}`]);
  }
  return lines;
}

function runHelm(helm: string, args: readonly string[]): SpawnSyncReturns<string> {
  const result = spawnSync(helm, args, { encoding: 'utf8', env: helmEnvironment, input: '' });
  if (result.error !== undefined) throw result.error;
  return result;
}

/** Runs command lines of helm in the working directory. */
export function recordLines(helm: string, lines: readonly (readonly string[])[]): HelmRecord[] {
  return lines.map((args) => {
    const { stdout, stderr, status } = runHelm(helm, args);
    return { args: [...args], stdout, stderr, code: status };
  });
}
