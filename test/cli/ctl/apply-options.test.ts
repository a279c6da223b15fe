import { Command } from 'commander';
import test from 'ava';
import {
  addApplyOptions,
  addCrdOptions,
  applyParameters,
  crdParameters,
  type ApplyFlags,
  type CrdFlags,
} from '../../../src/cli/ctl/apply-options.ts';

function parametersOf(...args: string[]): object {
  const command = new Command('test').exitOverride();
  addApplyOptions(command);
  addCrdOptions(command);
  command.parse(args, { from: 'user' });
  const flags = command.opts<ApplyFlags & CrdFlags>();
  return { ...applyParameters(flags), ...crdParameters(flags) };
}

const sent: [args: string[], parameters: object][] = [
  [[], {}],
  [['--server-side'], { serverSide: true }],
  [['--server-side=true'], { serverSide: true }],
  [['--server-side=false', '--force-replace'], { serverSide: false, forceReplace: true }],
  [['--server-side', 'auto', '--force-conflicts'], { serverSide: 'auto', forceConflicts: true }],
  [['--force'], { forceReplace: true }],
  [['--recreate', 'immutable'], { recreate: 'immutable' }],
  [['--skip-crds'], { crds: 'skip' }],
  [['--crds', 'create-replace'], { crds: 'create-replace' }],
  [['--crds', 'skip', '--skip-crds'], { crds: 'skip' }],
];
for (const [args, parameters] of sent) {
  test(`sends ${JSON.stringify(parameters)} for "${args.join(' ')}"`, (t) => {
    t.deepEqual(parametersOf(...args), parameters);
  });
}

const refused: [args: string[], message: string][] = [
  [
    ['--server-side=maybe'],
    '--server-side: invalid/unknown release server-side apply method: maybe. Valid values are true, false and auto',
  ],
  [
    ['--force-replace', '--force-conflicts'],
    'if any flags in the group [force-replace force-conflicts] are set none of the others can be; [force-conflicts force-replace] were all set',
  ],
  [
    ['--force', '--force-conflicts'],
    'if any flags in the group [force force-conflicts] are set none of the others can be; [force force-conflicts] were all set',
  ],
  [['--crds', 'all'], '--crds must be one of skip, create, create-replace, not "all"'],
  [['--crds', 'create', '--skip-crds'], '--skip-crds and --crds exclude each other'],
  [['--recreate', 'all'], '--recreate must be "immutable", not "all"'],
];
for (const [args, message] of refused) {
  test(`refuses "${args.join(' ')}"`, (t) => {
    t.throws(() => parametersOf(...args), { message });
  });
}
