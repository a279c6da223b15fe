import { Option, type Command } from 'commander';

/** The flags that say how objects are applied. */
export interface ApplyFlags {
  serverSide?: boolean | string;
  forceConflicts?: boolean;
  forceReplace?: boolean;
  force?: boolean;
  takeOwnership?: boolean;
  recreate?: string;
}

/** The flags of `install` and `upgrade` for CRDs. */
export interface CrdFlags {
  crds?: string;
  skipCrds?: boolean;
}

/** Adds the flags for the CRDs of a chart. */
export function addCrdOptions(command: Command): void {
  command
    .option(
      '--crds <policy>',
      'skip, create or create-replace: what to do with the CRDs of the chart (default: apply them on installation)',
    )
    .option('--skip-crds', 'the same as --crds skip');
}

const crdPolicies = ['skip', 'create', 'create-replace'] as const;

/** Returns the parameter that the flags set. */
export function crdParameters({ crds, skipCrds }: CrdFlags) {
  if (crds === undefined) return skipCrds ? { crds: 'skip' as const } : {};
  const policy = crdPolicies.find((known) => known === crds);
  if (policy === undefined)
    throw new Error(`--crds must be one of ${crdPolicies.join(', ')}, not ${JSON.stringify(crds)}`);
  if (skipCrds && policy !== 'skip') throw new Error('--skip-crds and --crds exclude each other');
  return { crds: policy };
}

/** Returns the flag for an upgrade that would change nothing. */
export function unchangedOption(): Option {
  const description = 'skip: add no revision if the release and its objects are already as requested';
  return new Option('--unchanged <what>', `${description} (default: always add one)`);
}

/** Returns the parameter that `--unchanged` sets. */
export function unchangedParameter(what: string | undefined): { unchanged?: 'skip' } {
  if (what === undefined) return {};
  if (what === 'skip') return { unchanged: what };
  throw new Error(`--unchanged must be "skip", not ${JSON.stringify(what)}`);
}

/** Returns the flag for releases of more than 1 MiB. */
export function storageOption(): Option {
  return new Option('--storage <form>', 'chunked: store a release of more than 1 MiB in several Secrets');
}

/** Returns the parameter that `--storage` sets. */
export function storageParameter(form: string | undefined): { storage?: 'chunked' } {
  if (form === undefined) return {};
  if (form === 'chunked') return { storage: form };
  throw new Error(`--storage must be "chunked", not ${JSON.stringify(form)}`);
}

/** Adds the flags that say how objects are applied. */
export function addApplyOptions(command: Command): void {
  command
    .addOption(
      new Option(
        '--server-side [mode]',
        'true, false or auto: apply server-side, or client-side; auto does what the revision before did (default: auto, and true for a new release)',
      ).preset('true'),
    )
    .option('--force-conflicts', 'take over fields that other managers own with other values')
    .option('--force-replace', 'replace existing objects instead of changing fields; needs --server-side=false')
    .option('--force', 'the same as --force-replace')
    .option('--recreate <what>', 'immutable: delete and create objects whose immutable fields change');
}

/** Returns the parameters that the flags set. Errors have Helm's texts. */
export function applyParameters({
  serverSide,
  forceConflicts,
  forceReplace,
  force,
  takeOwnership,
  recreate,
}: ApplyFlags) {
  if (forceConflicts && (forceReplace || force)) {
    const [group, set] = forceReplace
      ? ['force-replace force-conflicts', 'force-conflicts force-replace']
      : ['force force-conflicts', 'force force-conflicts'];
    throw new Error(`if any flags in the group [${group}] are set none of the others can be; [${set}] were all set`);
  }
  return {
    ...(serverSide !== undefined && { serverSide: serverSideOf(serverSide) }),
    ...(forceConflicts && { forceConflicts }),
    ...((forceReplace || force) && { forceReplace: true }),
    ...(takeOwnership && { takeOwnership }),
    ...(recreate !== undefined && { recreate: recreateOf(recreate) }),
  };
}

function serverSideOf(mode: boolean | string): boolean | 'auto' {
  if (mode === true || mode === 'true') return true;
  if (mode === 'false') return false;
  if (mode === 'auto') return 'auto';
  const problem = `invalid/unknown release server-side apply method: ${mode}`; // Helm's text
  throw new Error(`--server-side: ${problem}. Valid values are true, false and auto`);
}

function recreateOf(what: string): 'immutable' {
  if (what === 'immutable') return what;
  throw new Error(`--recreate must be "immutable", not ${JSON.stringify(what)}`);
}
