import test, { type ExecutionContext } from 'ava';
import type { Chart } from '../../src/chart/chart.ts';
import { defaultRenderLimits, type RenderLimits } from '../../src/render/limits.ts';
import { RenderError, type RenderPosition } from '../../src/render/render-error.ts';
import { knownApiVersions } from '../../src/render/scope/api-versions.ts';
import { createThreadedRenderer, type ThreadedRenderer } from '../../src/render/worker/threaded-renderer.ts';
import { readYamlMap } from '../../src/yaml/read.ts';
import { threadModule } from '../support/program.ts';

// Charts that try to use all time and memory, in a renderer with low limits. One thread renders
// all of them, unless it has to be ended.

const small: RenderLimits = {
  ...defaultRenderLimits,
  steps: 50_000,
  outputBytes: 200_000,
  textBytes: 200_000,
  listElements: 5_000,
  aliasedNodes: 10_000,
  milliseconds: 55_000,
  memoryMb: 96,
};
const workerUrl = threadModule('render-worker');
const bounded = createThreadedRenderer({ workerUrl, limits: small });
const shortTime: RenderLimits = { ...small, steps: 1e12, milliseconds: 300 };
const hurried = createThreadedRenderer({ workerUrl, limits: shortTime, graceMs: 5_000 });
const impatient = createThreadedRenderer({ workerUrl, limits: shortTime, graceMs: 100 });
test.after.always(async () => {
  await Promise.all([bounded.close(), hurried.close(), impatient.close()]);
});

interface Attack {
  template: string;
  helpers?: string;
  values?: string;
  schema?: string;
  files?: Record<string, string>;
}

let charts = 0;

function chartOf({ template, helpers = '', schema, files = {} }: Attack): Chart {
  charts++;
  return {
    metadata: { apiVersion: 'v2', name: 'evil', version: '1.0.0' },
    values: new Map(),
    templates: [
      { name: 'templates/t.yaml', data: Buffer.from(template) },
      { name: 'templates/_helpers.tpl', data: Buffer.from(helpers) },
    ],
    ...(schema !== undefined && { schema: Buffer.from(schema) }),
    files: Object.entries(files).map(([name, text]) => ({ name, data: Buffer.from(text) })),
    dependencies: [],
    digest: `chart ${charts}`,
  };
}

async function render(attack: Attack, renderer: ThreadedRenderer): Promise<string> {
  const release = { name: 'rel', namespace: 'ns', revision: 1, isInstall: true, isUpgrade: false };
  const capabilities = { version: { gitVersion: 'v1.35.0' }, apiVersions: knownApiVersions };
  const values = readYamlMap(attack.values ?? '') ?? new Map<string, never>();
  const request = { chart: chartOf(attack), values, release, capabilities };
  const files = await renderer.renderFiles(request, AbortSignal.timeout(60_000));
  return files.get('evil/templates/t.yaml') ?? '';
}

/** Renders until a render succeeds, because a busy machine can exceed the time limit. */
async function eventually(attack: Attack, renderer: ThreadedRenderer): Promise<string> {
  for (;;) {
    try {
      return await render(attack, renderer);
    } catch (error) {
      if (!(error instanceof RenderError)) throw error;
    }
  }
}
test.before(() => Promise.all([hurried, impatient].map((renderer) => eventually({ template: '' }, renderer))));

const template = 'evil/templates/t.yaml';
const helpers = 'evil/templates/_helpers.tpl';

/**
 * Returns the error of a render. A busy machine may have to end the thread, which loses the line;
 * then it renders again.
 */
async function errorOf(t: ExecutionContext, attack: Attack, renderer: ThreadedRenderer, line?: number) {
  for (let attempt = 1; ; attempt++) {
    const error = await t.throwsAsync(render(attack, renderer), { instanceOf: RenderError });
    if (error.position?.line === line || attempt === 20) return error;
  }
}

const isEnded = test.macro(
  async (t, given: Attack, { file = template, line }: Partial<RenderPosition>, renderer: ThreadedRenderer) => {
    // the first line is empty
    const shifted = { ...given, template: `\n${given.template}` };
    const error = await errorOf(t, shifted, renderer, line);
    t.is(error.code, 'render_limit', error.message);
    t.is(error.position?.file, file, error.message);
    t.is(error.position?.line, line, error.message);
    // the other renderer's time limit is too short to check that it still renders
    if (renderer === bounded) t.is(await render({ template: '{{ 1 }}' }, bounded), '1');
  },
);

const isHarmless = test.macro(async (t, attack: Attack, expected: string) => {
  t.is(await render(attack, bounded), expected);
});

const times = (count: number, body: string) => `{{ range until ${count} }}${body}{{ end }}`;
/** A small value that is huge when printed: each map contains the one before twice. */
const lattice = (name: string) =>
  `{{ $${name} := dict "a" "x" }}${times(60, `{{ $${name} = dict "a" $${name} "b" $${name} }}`)}`;
const cycle = (name: string) => `{{ $${name} := dict }}{{ $_ := set $${name} "a" (list $${name}) }}`;
const big = '{{ $b := repeat 150000 "x" }}';
const many = (word: string) => `${word} `.repeat(100);

const attacks: Record<string, string | [Attack, Partial<RenderPosition>?]> = {
  // lists and texts in the result of one function
  until: '{{ until 500000000 }}',
  untilStep: '{{ untilStep 0 1000000000 1 }}',
  seq: '{{ seq 1 1000000000 }}',
  repeat: '{{ repeat 1000000000 "a" }}',
  nindent: '{{ nindent 100000 (repeat 100000 "\\n") }}',
  join: `${big}{{ join $b (until 5000) }}`,
  replace: `${big}{{ replace "x" $b $b }}`,
  'replacement of nothing': `${big}{{ replace "" $b $b }}`,
  regexReplaceAll: `${big}{{ regexReplaceAll "x" $b $b }}`,
  wrapWith: `${big}{{ wrapWith 1 $b $b }}`,
  splitList: `${big}{{ splitList "" $b }}`,
  regexFindAll: `${big}{{ regexFindAll "." $b -1 }}`,
  concat: `{{ $l := until 5000 }}{{ concat ${many('$l')} }}`,
  cat: `${big}{{ cat ${many('$b')} }}`,
  quote: `${big}{{ quote ${many('$b')} }}`,
  print: `${big}{{ print ${many('$b')} }}`,
  'printf with many verbs': `${big}{{ printf (repeat 1000 "%[1]s") $b }}`,
  'printf with wide verbs': '{{ printf (repeat 1000 "%[2]*[1]d") 1 1000000 }}',
  'a list of large texts in YAML': `${big}{{ toYaml (list ${many('$b')}) }}`,
  // texts and lists that grow in a loop
  'a text that doubles': `{{ $x := "a" }}${times(100, '{{ $x = print $x $x }}')}`,
  'a list that doubles': `{{ $x := list 1 }}${times(100, '{{ $x = concat $x $x }}')}`,
  'quotes in quotes': `{{ $x := "a" }}${times(100, '{{ $x = quote $x }}')}`,
  'a map that keeps texts': `{{ $d := dict }}${times(5000, '{{ $_ := set $d (toString .) (printf "%d%s" . (repeat 150000 "a")) }}')}`,
  // values that contain others many times, or themselves
  'a lattice in YAML': `${lattice('d')}{{ toYaml $d }}`,
  'a lattice in TOML': `${lattice('d')}{{ toToml $d }}`,
  'a lattice as an action prints it': `${lattice('d')}{{ $d }}`,
  'a copy of a lattice': `${lattice('d')}{{ $x := deepCopy $d }}`,
  'two lattices merged': `${lattice('d')}${lattice('e')}{{ $x := mustMerge $d $e }}`,
  'a cycle as an action prints it': `${cycle('d')}{{ $d }}`,
  'a cycle in TOML': `${cycle('d')}{{ toToml $d }}`,
  // loops and recursion
  'loops in loops': times(5000, times(5000, '')),
  'a loop over an integer': '{{ range 1000000000000 }}{{ end }}',
  'a loop that writes': times(5000, 'x'.repeat(100)),
  'a template that includes itself': [
    { template: '{{ include "a" . }}', helpers: '{{ define "a" }}{{ include "a" . }}{{ end }}' },
    { file: helpers, line: 1 },
  ],
  'templates that include each other': [
    {
      template: '{{ include "a" . }}',
      helpers: '\n{{ define "a" }}{{ include "b" . }}{{ end }}{{ define "b" }}{{ include "a" . }}{{ end }}',
    },
    { file: helpers },
  ],
  'a template that calls itself': [
    { template: '{{ template "a" . }}', helpers: '{{ define "a" }}{{ template "a" . }}{{ end }}' },
    { file: helpers, line: 1 },
  ],
  'a text that passes itself to tpl': [{ template: '{{ tpl .Values.t . }}', values: 't: "{{ tpl .Values.t . }}"' }],
  'tpl with a text that loops': [{ template: '{{ tpl .Values.t . }}', values: 't: "{{ range 1000000000 }}{{ end }}"' }],
  // texts that are parsed
  'aliases of aliases': `{{ fromYaml "a: &a [1,2,3,4,5,6,7,8,9]\\nb: &b [${many('*a,')}]\\nc: [${many('*b,')}]" }}`,
  'merges of merges': `{{ fromYaml "a: &a {x: 1}\\nb: &b {<<: [${many('*a,')}]}\\nc: &c {<<: [${many('*b,')}]}\\nd: {<<: [${many('*c,')}]}" }}`,
  'a TOML key of many parts': '{{ fromToml (printf "%sa = 1" (repeat 100000 "a.")) }}',
};

for (const [what, attack] of Object.entries(attacks)) {
  const [given, place] = typeof attack === 'string' ? [{ template: attack }, {}] : attack;
  test.serial(
    `${what}: ended at a limit, and the next chart is rendered`,
    isEnded,
    given,
    { line: 2, ...place },
    bounded,
  );
}

// slow, but not large: the render is asked to stop, so that the error has a line
for (const [what, attack] of Object.entries({
  'passwords in a loop': times(5000, '{{ $x := bcrypt "x" }}'),
  'passwords one by one': '{{ $x := derivePassword 1 "long" "p" "u" "s" }}'.repeat(1000),
})) {
  test.serial(`${what}: ended after a time, with the line`, isEnded, { template: attack }, { line: 2 }, hurried);
}

test.serial(
  'ends the thread if one call takes too long, and names the template',
  isEnded,
  {
    template: `${big}{{ regexReplaceAll (repeat 1000 "x?") $b "" }}`,
  },
  {},
  impatient,
);

test.serial('renders in a new thread after one was ended', async (t) => {
  t.is(await eventually({ template: '{{ 1 }}' }, impatient), '1');
});

// looks dangerous, but is only large
const harmless: Record<string, [Attack, string]> = {
  'equal lattices': [{ template: `${lattice('d')}${lattice('e')}{{ has $d (list $e) }}` }, 'true'],
  'equal cycles': [{ template: `${cycle('d')}${cycle('e')}{{ has $d (list $e) }}` }, 'true'],
  'many different values': [{ template: '{{ uniq (until 5000) | len }}' }, '5000'],
  'deep parentheses': [{ template: `{{ ${'('.repeat(5000)}1${')'.repeat(5000)} }}` }, '1'],
  'many variables': [
    { template: `${Array.from({ length: 9000 }, (_, i) => `{{ $x${i} := 1 }}`).join('')}${'{{ $x0 }}'.repeat(9000)}` },
    '1'.repeat(9000),
  ],
  'patterns of many stars': [
    { template: '{{ .Files.Glob (printf "%sb" (repeat 30 "*a")) | len }}', files: { ['a'.repeat(1000)]: '' } },
    '0',
  ],
  'patterns of many alternatives': [
    { template: '{{ .Files.Glob (repeat 25 "{a,b,}") | len }}', files: { ['a'.repeat(100)]: '' } },
    '0',
  ],
  'numbers of many digits': [{ template: '{{ printf "%1000000000d" 1 }}' }, '%!(NOVERB)%!(EXTRA int=1)'],
};

for (const [what, [attack, expected]] of Object.entries(harmless)) {
  test.serial(`${what} do no harm`, isHarmless, attack, expected);
}
