/** A packet that commands the agent. */
export interface CommandPacket {
  type: string;
  payload: Record<string, unknown>;
}

type Parameters = Record<string, unknown>;
type FlagReader = (value: string, payload: Parameters) => Parameters;

const on =
  (field: string, value: unknown = true): FlagReader =>
  () => ({ [field]: value });
const text =
  (field: string): FlagReader =>
  (value) => ({ [field]: value });
const added =
  (kind: string): FlagReader =>
  (value, { set }) => ({ set: [...((set ?? []) as object[]), { kind, text: value }] }); // this function alone sets it

/** Flags without a value. */
const switches: Record<string, FlagReader> = {
  '--create-namespace': on('createNamespace'),
  '--rollback-on-failure': on('atomic'),
  '--cleanup-on-fail': on('cleanupOnFail'),
  '--wait-for-jobs': on('waitForJobs'),
  '--no-hooks': on('noHooks'),
  '--replace': on('replace'),
  '--reuse-values': on('reuseValues'),
  '--reset-values': on('resetValues'),
  '--reset-then-reuse-values': on('resetThenReuseValues'),
  '--force-conflicts': on('forceConflicts'),
  '--force-replace': on('forceReplace'),
  '--take-ownership': on('takeOwnership'),
  '--skip-crds': on('crds', 'skip'),
  '--skip-schema-validation': on('skipSchemaValidation'),
  '--disable-openapi-validation': on('disableOpenapiValidation'),
  '--render-subchart-notes': on('renderSubchartNotes'),
  '--hide-secret': on('hideSecret'),
  '--hide-notes': on('hideNotes'),
  '--keep-history': on('keepHistory'),
  '--ignore-not-found': on('ignoreNotFound'),
  '--logs': on('logs'),
  '--devel': on('chartVersion', '>0.0.0-0'),
  '--install': on('upgrade'),
};

/** Flags whose value may be missing, with the value that they have then. */
const optional: Record<string, [whenMissing: string, read: FlagReader]> = {
  '--wait': ['watcher', (value) => ({ wait: value === 'true' ? true : value === 'false' ? 'hookOnly' : value })],
  '--dry-run': ['client', (value) => ({ dryRun: value })],
  '--server-side': ['true', (value) => ({ serverSide: value === 'auto' ? value : value === 'true' })],
};

/** Flags with a value. */
const valued: Record<string, FlagReader> = {
  '--set': added('set'),
  '--set-string': added('set-string'),
  '--set-json': added('set-json'),
  '--set-literal': added('set-literal'),
  '--description': text('description'),
  '--timeout': text('timeout'),
  '--cascade': text('cascade'),
  '--version': text('chartVersion'),
  '--history-max': (value) => ({ historyLimit: value === '0' ? -1 : Number(value) }),
  '--filter': filter,
  '-l': labels,
};

/** Output of the command line only. */
const ofOutput = new Set(['-o', '--output']);

function labels(value: string): Parameters {
  return { labels: Object.fromEntries(value.split(',').map((pair) => pair.split('='))) as Record<string, string> };
}

function filter(value: string): Parameters {
  const parts = value.split(',').map((part) => /^(!?)name=(.*)$/.exec(part) ?? []);
  const namesAfter = (sign: string) => parts.filter((part) => part[1] === sign).map(([, , name = '']) => name);
  return { include: namesAfter(''), exclude: namesAfter('!') };
}

const rollbackDefaults = { wait: 'hookOnly', waitForJobs: false };
const helmDefaults = { ...rollbackDefaults, atomic: false, createNamespace: false };

/**
 * Returns the packets that mean the same as a command line of helm with helm's defaults, or
 * undefined if there are none. `values` are the contents of files for `-f`, by name.
 */
export function packetsOf(
  line: readonly string[],
  namespace: string,
  values: Readonly<Record<string, string>> = {},
): CommandPacket[] | undefined {
  const [verb = '', ...words] = line;
  let payload: Parameters = {};
  const names: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const [flag, given] = splitFlag(words[i] ?? '');
    const mayLackValue = optional[flag];
    if (!flag.startsWith('-')) names.push(flag);
    else if (switches[flag]) payload = { ...payload, ...(given === 'false' ? {} : switches[flag]('', payload)) };
    else if (mayLackValue) payload = { ...payload, ...mayLackValue[1](given ?? mayLackValue[0], payload) };
    else if (ofOutput.has(flag)) i++;
    else if (flag === '-f') payload = { ...payload, values: [...valuesOf(payload), values[words[++i] ?? ''] ?? ''] };
    else if (valued[flag]) payload = { ...payload, ...valued[flag](given ?? words[++i] ?? '', payload) };
    else return undefined;
  }
  payload = { ...payload, namespace };
  if (verb === 'uninstall') return names.map((releaseName) => uninstallation({ ...payload, releaseName }));
  const single = packet(verb, names, payload);
  return single && [single];
}

function valuesOf({ values = [] }: Parameters): string[] {
  return values as string[]; // only packetsOf sets it
}

function splitFlag(word: string): [flag: string, value?: string] {
  const at = word.startsWith('--') ? word.indexOf('=') : -1;
  return at === -1 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}

function packet(verb: string, names: string[], payload: Parameters): CommandPacket | undefined {
  const [releaseName, second, ...others] = names;
  if (releaseName === undefined || others.length > 0) return undefined;
  const named = { ...payload, releaseName };
  const deployed = { ...helmDefaults, ...named, chartName: second };
  switch (verb) {
    case 'install':
      return second === undefined ? undefined : { type: 'install_release', payload: deployed };
    case 'upgrade':
      return { type: payload['upgrade'] === true ? 'install_release' : 'upgrade_release', payload: deployed };
    case 'rollback': {
      if (Number.isNaN(Number(second ?? 0))) return undefined;
      return {
        type: 'rollback_release',
        payload: { ...rollbackDefaults, ...named, ...(second && { version: Number(second) }) },
      };
    }
    case 'test':
      return { type: 'test_release', payload: named };
    default:
      return undefined;
  }
}

function uninstallation(payload: Parameters): CommandPacket {
  const { dryRun, ...rest } = payload;
  return { type: 'uninstall_release', payload: { wait: 'hookOnly', ...rest, dryRun: dryRun !== undefined } };
}
