import { fileURLToPath } from 'node:url';

/** The outcome of a command line: what it prints on stdout, or that it fails. */
export interface LineRecord {
  line: string;
  stdout: string;
}

const chart = fileURLToPath(new URL('../fixtures/nulls', import.meta.url));
/** The folder of the files with values. */
export const valueFiles = `${chart}/values`;

/** The flags of an installation, and of the upgrades after it. */
const histories: readonly (readonly string[])[] = [
  [
    '--set extra.a=1,extra.b.c=1,text=t',
    '--reuse-values --set extra.a=null',
    '--reuse-values --set extra.b=null,text=null',
    '--reset-then-reuse-values --set extra.a=null,extra.new=null',
    '--reset-then-reuse-values --set text=null',
    '--reuse-values --set text=again',
    '--reset-values --set text=null',
    '',
  ],
  [
    '-f FILES/null.yaml',
    '--reuse-values -f FILES/nested.yaml',
    '--reuse-values -f FILES/null.yaml',
    '--reset-then-reuse-values -f FILES/document.yaml --set extra.list[0]=2',
    '--reset-then-reuse-values --set table=null',
    '--reset-values -f FILES/nested.yaml',
  ],
  [
    '--set-json {"text":null,"table":{"x":5,"deep":null}}',
    '--reuse-values --set-json table={"x":null}',
    '--reuse-values --set-json {"table":null,"list":[null,{"a":null}]}',
    '--reset-then-reuse-values --set-json list=null',
    '--reset-then-reuse-values --set-json {"extra":{"a":{"b":null}}}',
    '--reset-then-reuse-values --set extra.a.b=null',
  ],
  [
    '--set-string text=null --set-literal other=null',
    '--reuse-values --set other=null',
    '--reset-then-reuse-values --set-string other=null --set text=null',
    '--reuse-values --set list={null,1},nothing=null',
    '--reuse-values --set list[0]=null,nothing=1',
  ],
  [
    '-f FILES/sub.yaml',
    '--reuse-values --set sub.own=user,sub.table.p=5,global.number=7',
    '--reuse-values -f FILES/sub.yaml',
    '--reset-then-reuse-values --set sub.table=null,global.table=null',
    '--reset-then-reuse-values --set sub=null,global=null',
    '--reset-values --set sub.own=null',
  ],
  [
    '--set text=t,table.x=2',
    '--reuse-values -f FILES/types.yaml',
    '--reset-then-reuse-values --set text=null,table=null',
    '--reset-values -f FILES/types.yaml',
    '--reuse-values --set text.now=null,table.x=null',
    '--reset-then-reuse-values --set text=s',
  ],
];

/** Returns the command lines of helm, for a namespace. Those that start with `get` are compared. */
export function nullLines(namespace: string): string[][] {
  const lines = histories.flatMap(([first = '', ...upgrades], index) => {
    const name = `nulls-${index + 1}`;
    const last = upgrades.length + 3;
    return [
      `install ${name} CHART ${first}`,
      ...upgrades.map((flags) => `upgrade ${name} CHART ${flags}`),
      `rollback ${name} 1`,
      `upgrade ${name} CHART --reuse-values --set extra.last=null`,
      ...Array.from({ length: last }, (_, revision) => `get values ${name} --revision ${revision + 1} -o json`),
      ...Array.from({ length: last }, (_, revision) => `get manifest ${name} --revision ${revision + 1}`),
      `get values ${name} --all -o json`,
    ];
  });
  const place = (word: string) => word.replace(/^CHART$/, chart).replace(/^FILES/, valueFiles);
  return lines.map((line) => [...line.trim().split(/ +/).map(place), '--namespace', namespace]);
}

/** Returns what a fixture says of a command line. */
export function lineRecord(args: readonly string[], stdout: string): LineRecord {
  return { line: args.slice(0, -2).join(' '), stdout };
}
