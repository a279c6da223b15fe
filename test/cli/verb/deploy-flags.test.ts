import test from 'ava';
import { requireOneOfEach } from '../../../src/cli/cobra/exclusive-flags.ts';
import { outputFlag } from '../../../src/cli/helm/flags/output-flag.ts';
import { flagValues } from '../../../src/cli/pflag/flag-values.ts';
import { parseFlags } from '../../../src/cli/pflag/parse-flags.ts';
import { deployValues } from '../../../src/cli/verb/deployed.ts';
import { exclusiveFlagsOf, fieldFlags } from '../../../src/cli/verb/field-flags.ts';
import { fieldValues } from '../../../src/cli/verb/field-values.ts';
import { applyOptions, deployOptions } from '../../../src/protocol/commands/deploy-fields.ts';

const fields = { ...applyOptions, crds: deployOptions.crds, valuesFrom: deployOptions.valuesFrom };
const ctl = { program: 'ctl' } as const;

function parametersOf(...args: string[]): object {
  const all = [...fieldFlags(fields, ctl), outputFlag];
  const { given } = parseFlags(all, args);
  requireOneOfEach(exclusiveFlagsOf(fields), given);
  const flags = flagValues(all, given);
  const values = fieldValues(fields, ctl, flags, false);
  return { ...values, ...deployValues(flags, values) };
}

const sent: [args: string[], parameters: object][] = [
  [[], {}],
  [['--server-side'], { serverSide: true }],
  [['--server-side=true'], { serverSide: true }],
  [['--server-side=false', '--force-replace'], { serverSide: false, forceReplace: true }],
  [['--server-side=auto', '--force-conflicts'], { serverSide: 'auto', forceConflicts: true }],
  [['--force'], { forceReplace: true }],
  [['--recreate', 'immutable'], { recreate: 'immutable' }],
  [['--skip-crds'], { crds: 'skip' }],
  [['--crds', 'create-replace'], { crds: 'create-replace' }],
  [['--crds', 'skip', '--skip-crds'], { crds: 'skip' }],
  [
    ['--values-from', 'Secret/a,key=k,path=db.list[0]', '--values-from=configmap/b,optional'],
    {
      valuesFrom: [
        { kind: 'Secret', name: 'a', key: 'k', targetPath: 'db.list[0]' },
        { kind: 'ConfigMap', name: 'b', optional: true },
      ],
    },
  ],
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
  ...['pod/a', 'secret', 'secret/a,path', 'secret/a,name=b'].map((text): [string[], string] => [
    ['--values-from', text],
    `--values-from must be secret/NAME or configmap/NAME, with ,key=KEY ,path=PATH ,optional, not ${JSON.stringify(text)}`,
  ]),
  [['--recreate', 'all'], '--recreate must be "immutable", not "all"'],
];
for (const [args, message] of refused) {
  test(`refuses "${args.join(' ')}"`, (t) => {
    t.throws(() => parametersOf(...args), { message });
  });
}
