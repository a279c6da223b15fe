import { isIgnored, parseIgnoreRules } from '../../src/chart/load/ignore-rules.ts';
import { readLock, readMetadata } from '../../src/chart/metadata/read-metadata.ts';
import { validateMetadata } from '../../src/chart/metadata/validate-metadata.ts';
import { setJson, setLiteral, setStrings, setValues } from '../../src/chart/strvals/index.ts';
import { schemaProblems } from '../../src/chart/values/validate-values.ts';
import { encodeToml } from '../../src/functions/toml/encode.ts';
import { parseToml } from '../../src/functions/toml/parse.ts';
import { sprintf } from '../../src/go/fmt.ts';
import type { Host } from '../../src/go/host.ts';
import { encodeJson } from '../../src/go/json-encode.ts';
import { parseVersion } from '../../src/go/semver.ts';
import { parseConstraint, satisfies } from '../../src/go/semver-constraint.ts';
import { formatTime } from '../../src/go/time-format.ts';
import { parseTime } from '../../src/go/time-parse.ts';
import { utc } from '../../src/go/time-zone.ts';
import { GoError, int, type Value, type ValueMap } from '../../src/go/value.ts';
import { payloadReaders } from '../../src/protocol/commands/index.ts';
import { agentMessageSchemas } from '../../src/protocol/messages.ts';
import { decodeFrame } from '../../src/protocol/packet.ts';
import { decodePayload } from '../../src/protocol/payload.ts';
import { decodeStreamFrame, encodeStreamFrame, type StreamFrame } from '../../src/protocol/streams/frame.ts';
import { StreamError } from '../../src/protocol/streams/stream-error.ts';
import { createEngines } from '../../src/render/engines.ts';
import { defaultRenderLimits } from '../../src/render/limits.ts';
import { readObjects } from '../../src/render/manifest/read-objects.ts';
import { parseKubeVersion } from '../../src/render/scope/capabilities.ts';
import { chartTemplates } from '../../src/render/scope/chart-templates.ts';
import { compileGlob } from '../../src/render/scope/glob.ts';
import { defaultHelmVersion } from '../../src/render/scope/helm-version.ts';
import { bearerChallenge, nextPage } from '../../src/source/oci/registry-access.ts';
import { findChart } from '../../src/source/repository/find-chart.ts';
import { readValues } from '../../src/workers/read-values.ts';
import { readTypedYaml, readYaml } from '../../src/yaml/read.ts';
import { writeYaml } from '../../src/yaml/write.ts';

/** A function that accepts any text, and either works or throws one of the project's own errors. */
export interface FuzzTarget {
  readonly name: string;
  /** Valid texts. */
  readonly seeds: readonly string[];
  /** Parts of such texts. */
  readonly tokens: readonly string[];
  readonly run: (text: string) => void;
}

/** Whether an error is one that the project throws for a wrong text. All others are bugs. */
export function isOwnError(error: unknown): boolean {
  if (error instanceof GoError || error instanceof StreamError) return true;
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && /^[a-z_]+$/.test(error.code);
}

const host: Host = {
  now: () => 1_700_000_000_500_000_000n,
  randomBytes: (size) => Uint8Array.from({ length: size }, (_, i) => (i * 37 + 11) % 256),
  timeZone: 'UTC',
};
const limits = {
  ...defaultRenderLimits,
  steps: 20_000,
  outputBytes: 100_000,
  textBytes: 100_000,
  listElements: 2000,
  aliasedNodes: 10_000,
  includeDepth: 50,
};
const engine = createEngines(host, limits);

function renderTemplate(text: string): void {
  const chart = {
    metadata: { apiVersion: 'v2', name: 'c', version: '1.0.0' },
    values: new Map<string, Value>(),
    templates: [{ name: 'templates/t.yaml', data: Buffer.from(text) }],
    files: [{ name: 'a.txt', data: Buffer.from('a\nb\n') }],
    dependencies: [],
    digest: '',
  };
  const values: ValueMap = new Map<string, Value>([
    ['s', 'text'],
    ['i', int(5)],
    ['f', 2.5],
    ['n', null],
    ['l', [1, 'b', null]],
    ['m', new Map<string, Value>([['a', new Map([['b', true]])]])],
  ]);
  const release = { name: 'r', namespace: 'n', revision: 1, isInstall: true, isUpgrade: false };
  const kubeVersion = parseKubeVersion('v1.35.0');
  const capabilities = { kubeVersion, apiVersions: ['v1'], helmVersion: defaultHelmVersion };
  // an empty digest prevents caching, so each text is compiled
  chart.digest = text;
  engine.render(chartTemplates(chart, values, release, capabilities), { limits });
}

const printed: readonly Value[] = [
  'text',
  int(-42),
  2.5,
  true,
  null,
  [1, 'b'],
  new Map([['k', 1]]),
  new Uint8Array([104, 105]),
];

function roundTrip(text: string): void {
  readTypedYaml(text);
  const value = readYaml(text);
  const written = writeYaml(value);
  const [before, after] = [value, readYaml(written)].map((read) => encodeJson(read, { escapeHtml: false }));
  if (before !== after) throw new Error(`${before} is written as ${JSON.stringify(written)}, which is ${after}`);
}

function assign(text: string): void {
  for (const set of [setValues, setStrings, setLiteral, setJson]) {
    try {
      set(text, new Map<string, Value>([['a', new Map<string, Value>([['b', [1]]])]]));
    } catch (error) {
      if (!isOwnError(error)) throw error;
    }
  }
}

const frameText = (type: string, payload: object): string =>
  JSON.stringify({ key: 'k', type, payload: JSON.stringify(payload) });

const words = (text: string): string[] => text.split(' ');

/** All functions that parse texts of charts or users. */
export const fuzzTargets: readonly FuzzTarget[] = [
  {
    name: 'template',
    seeds: [
      '{{ if and .Values.s (gt .Values.i 3) }}a{{ else if .Values.n }}b{{ else }}c{{ end }}',
      '{{- range $i, $x := .Values.l -}}{{ $i }}={{ $x | default "none" | quote }}{{ break }}{{ end -}}',
      '{{ define "x" }}<{{ .a }}>{{ end }}{{ include "x" (dict "a" 1) | nindent 2 }}{{ template "x" . }}',
      '{{ with $m := .Values.m.a }}{{ toYaml $m }}{{ toJson $.Values }}{{ else }}{{ fail "no" }}{{ end }}',
      '{{ tpl "{{ .Values.s | upper }}" . }}{{ block "b" .Values }}{{ .f }}{{ end }}{{/* c */}}',
      '{{ $x := list 1 2.5 "a" `b` \'c\' nil true }}{{ $x = append $x (printf "%05d|%-8q|%+v" 3 "q" .) }}{{ index $x 1 }}',
      '{{ .Files.Get "a.txt" | b64enc | trunc 5 }}{{ range $p, $_ := .Files.Glob "*" }}{{ $p }}{{ end }}{{ (.Files.Glob "**").AsConfig }}',
      '{{ regexReplaceAll "(a+)(b)?" "aab" "${1}x" }}{{ semverCompare ">=1.2 <2 || ~3" "1.5.0" }}{{ dict "a" (list 1) | toToml }}',
      '{{ merge (dict "a" 1) .Values.m | keys | sortAlpha | join "," }}{{ dig "a" "b" 0 .Values.m }}{{ until 3 }}{{ seq 1 2 9 }}',
    ],
    tokens: [
      ...words(
        '{{ }} {{- -}} ( ) | := = , . $ $x $.Values .Values.l .Values.m .Values.n .Values.s .Files .Release if else end range with',
      ),
      ...words(
        'define block template break continue nil true 0 -1 1e3 0x1F 1i "a" `b` \'c\' "%v" "%!" print printf println len index slice',
      ),
      ...words(
        'call html js urlquery eq lt and or not include tpl required fail lookup list dict set toYaml fromYaml toJson fromJson',
      ),
      ...words(
        'fromToml toToml quote indent repeat until untilStep seq regexMatch regexFindAll regexSplit split splitList substr trunc wrap',
      ),
      ...words(
        'date toDate duration semver semverCompare merge deepCopy pick omit dig uniq without chunk sortAlpha add mul div round int',
      ),
      ...words(
        'urlParse urlJoin b64dec b32dec derivePassword dateModify ago camelcase swapcase title initials abbrev toString kindOf',
      ),
      ' ',
      '\n',
      '{{/*',
      '*/}}',
    ],
    run: renderTemplate,
  },
  {
    name: 'printf',
    seeds: [
      '%v %d %s',
      '%+v|%#v|%T',
      '%05.2f|%-10s|%q',
      '%[2]*[1]d %[3]*.[2]*[1]f',
      '%x % X %#x %U %c %t %e %G %b %o %O',
      '100%% %!',
    ],
    tokens: words('% + - # 0 [ ] [1] [9] * . .* 1000 v d s q x X U c t e E f F g G b o O p T w z ! %%').concat(' '),
    run: (text) => void sprintf(text, printed),
  },
  {
    name: 'YAML',
    seeds: [
      'a: 1\nb:\n- x\n- y: {c: [1, 2.5, ~], d: "e\\n"}\n',
      '%YAML 1.1\n--- !!map\nk: &a [x]\n? y\n: *a\n...\n',
      'a: &x {p: 1}\nb:\n  <<: [*x, {q: 2}]\n  r: |+2\n    text\n     more\n\n  s: >-\n   folded\n   lines\n',
      "- 'it''s'\n- \"\\x41\\u00e9\\U0001F600\"\n- plain text: here\n- !!binary aGk=\n- !!str 1\n- 0o17\n- 1_000\n- .5\n- 2001-01-01\n",
      '# comment\n{a: [], b: {}, "c": null, ? d : e}\n',
    ],
    tokens: words(
      '- ? : , [ ] { } # & * ! | > \' " % @ ` ~ --- ... &a *a !!str !!int !!binary << yes null 0x1 1e3 .nan |+ >- |2 \\n',
    ).concat(...[' ', '\n', '\n  ', '\t', ': ', '- ', '\n- ']),
    run: roundTrip,
  },
  {
    name: 'strvals',
    seeds: ['a.b[0]=1,c={x,y},d=null', 'a\\.b=x\\,y,e[1].f=true', 'a={"b": [1, {"c": null}]},d=[1]', 'x[0][1].y=z'],
    tokens: words('a b . , = [ ] { } [0] [65536] [65537] [-1] \\ " null true 1 0 {"a":1} __proto__ constructor').concat(
      ' ',
    ),
    run: assign,
  },
  {
    name: 'TOML',
    seeds: [
      'a = 1\n[b.c]\nd = "e"\n[[f]]\ng = [1, 2.5, true]\n[[f]]\nh = {i = 1979-05-27T07:32:00Z}\n',
      '\'q\' = \'\'\'x\ny\'\'\'\n"r\\n" = """\\\n  z"""\ns = 0xff\nt = 1_000e+3\nu = inf\nv.w = -nan\nx = 07:32:00.5\n',
    ],
    tokens: words(
      '= . , [ ] [[ ]] { } # " """ \' \'\'\' a b 1 1.5 1e3 0x 0b1 _ + - true inf nan 1979-05-27 T Z 07:32:00 \\ \\u00e9',
    ).concat(' ', '\n'),
    run: (text) => void encodeToml(parseToml(text, utc)),
  },
  {
    name: 'semver',
    seeds: ['>=1.2.3, <2 || ~1.2.x', '^1.2.3-beta.1+build.5', '1.2 - 2.3.4', '!=1.x =*', 'v1.2.3-alpha.1.x'],
    tokens: words('1 0 12 99999999999999999999 . - + , || > < = ! ~ ^ x X * v alpha beta.1 - =>').concat(' ', ' - '),
    run: (text) => {
      const version = parseVersion('1.2.3-beta.1');
      try {
        parseVersion(text);
      } catch (error) {
        if (!isOwnError(error)) throw error;
      }
      satisfies(version, parseConstraint(text));
    },
  },
  {
    name: 'dates',
    seeds: [
      '2006-01-02T15:04:05.999999999Z07:00',
      'Mon Jan _2 15:04:05 MST 2006',
      '02/01/06 3:04PM -0700',
      'Monday, January 2006 002',
    ],
    tokens: words(
      '2006 06 01 1 Jan January 02 2 _2 002 15 03 3 PM pm 04 4 05 5 .000 .999 ,00 Z0700 Z07:00 -07 MST Mon Monday : - / T',
    ).concat(' '),
    run: (text) => {
      const shown = formatTime({ seconds: 1_700_000_000n, nanoseconds: 500, abbreviation: 'UTC', offset: 0 }, text);
      parseTime(text, shown, utc);
    },
  },
  {
    name: 'file patterns',
    seeds: ['templates/*.yaml', '**/{a,b[!c-d]}?.tx*', 'conf/\\*[abc]'],
    tokens: words('* ** ? [ ] [a-z] [!a] { } {a,b} , \\ / a .'),
    run: (text) => void compileGlob(text)('templates/a.yaml'),
  },
  {
    name: 'Chart.yaml',
    seeds: [
      'apiVersion: v2\nname: c\nversion: 1.2.3\nannotations: {a: b}\nmaintainers: [{name: n, email: e}]\n',
      'apiVersion: v2\nname: c\nversion: 1.0.0\ndependencies:\n- {name: d, version: ">1", alias: e, tags: [t], import-values: [x, {child: a, parent: b}]}\n',
      'apiVersion: v1\nname: c\nversion: 1.0.0\ndigest: sha256:x\ngenerated: "2020-01-01T00:00:00Z"\ndependencies: []\n',
    ],
    tokens: words(
      'apiVersion name version kubeVersion type dependencies maintainers annotations icon keywords ~ [ ] { } : - , 1 true "" ..',
    ).concat('\n', ': ', '- '),
    run: (text) => {
      readLock(text);
      validateMetadata(readMetadata(text));
    },
  },
  {
    name: 'index',
    seeds: [
      'apiVersion: v1\nentries:\n  web:\n  - name: web\n    version: 1.2.3\n    urls:\n    - web.tgz\n    digest: abc\n  db: []\ngenerated: x\n',
      '{"apiVersion": "v1", "entries": {"web": [{"name": "web", "version": "1.0.0", "urls": ["a"]}]}}',
      '{apiVersion: v1, entries: {web: [{name: web, version: 1, urls: [a]}]}}',
    ],
    tokens: words(
      'apiVersion entries: web: "web" name version urls digest ~ [ ] { } : - , 1 1.0.0 true "" <html>',
    ).concat('\n', '\n  ', ': ', '- '),
    run: (text) => void findChart(text, { where: 'https://repo.example/index.yaml', chartName: 'web' }),
  },
  {
    name: 'manifest',
    seeds: [
      '---\n# Source: c/templates/a.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n',
      'apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Secret, metadata: {generateName: b, namespace: c}}\n',
    ],
    tokens: words(
      '--- # Source: apiVersion kind List items metadata name namespace ~ [ ] { } : - 1 true "" __proto__',
    ).concat('\n', '\n---\n', ': ', '- '),
    run: (text) => void Array.from(readObjects(text, 'failed to read')),
  },
  {
    name: 'values',
    seeds: ['a: 1\nb: {c: [1, 2]}\n---\n# comment\nb:\n  d: ~\n', 'a: &x {p: 1}\nb: {<<: *x}\r\n--- # b\nc: 1\n'],
    tokens: words('--- # : - , [ ] { } a b &x *x << null 1').concat('\n', '\n---\n', '\r\n', ': '),
    run: (text) => void readValues({ yaml: text }),
  },
  {
    name: '.helmignore',
    seeds: ['# comment\n*.bak\n/docs\nlogs/\ntemplates/b?.yaml\n!a[b-z]*\n', '*a*a*a*ab\n[^a]?\\*\n'],
    tokens: words('* ? [ ] [a-z] [^a] ! / \\ # a b - .').concat('\n', '**'),
    run: (text) => {
      const rules = parseIgnoreRules(text);
      for (const name of ['templates/b1.yaml', 'a'.repeat(200), text]) isIgnored(rules, name, false);
    },
  },
  {
    name: 'registry headers',
    seeds: [
      'Bearer realm="https://auth.example/token",service="registry.example",scope="a:b:pull"',
      '</v2/team/web/tags/list?n=1&last=a>; rel="next", <https://a.example/>; rel=prev',
    ],
    tokens: words('Bearer Basic realm service = " , ; < > rel next "next" https://a.example / ?n=1').concat(' '),
    run: (text) => {
      bearerChallenge([text]);
      nextPage(text);
    },
  },
  {
    name: 'schema',
    seeds: [
      '{"type": "object", "required": ["a"], "properties": {"a": {"enum": [1, "x"]}, "m": {"$ref": "#/$defs/m"}}, "$defs": {"m": {"type": ["object"]}}}',
      '{"$schema": "http://json-schema.org/draft-07/schema#", "if": {"minProperties": 1}, "then": {"patternProperties": {"^s": {"pattern": "t+"}}}}',
      '{"anyOf": [{"not": {}}, {"oneOf": [{"items": {"multipleOf": 0.1}}, {"uniqueItems": true}]}], "additionalProperties": false}',
    ],
    tokens: words(
      '{ } [ ] : , "type" "$ref" "#" "#/$defs/m" "$id" "$anchor" "$dynamicRef" "allOf" "properties" "items" "pattern" "format" "a" 1 -1 1e400 null true',
    ),
    run: (text) => {
      const value = new Map<string, Value>([
        ['a', 1],
        ['s', 'text'],
        ['l', [1, 2]],
        ['m', new Map<string, Value>()],
      ]);
      schemaProblems(Buffer.from(text), value);
    },
  },
  {
    name: 'packets',
    seeds: [
      frameText('install_release', { releaseName: 'web', chartName: 'c', timeout: '5m' }),
      frameText('list_releases', { namespace: 'a', filter: '^w', statuses: ['deployed'] }),
      frameText('result', { ok: false, error: { code: 'internal', message: 'm' } }),
    ],
    tokens: words(
      '{ } [ ] : , "key" "type" "payload" "install_release" "status" "{}" "{\\"a\\":1}" \\" \\u0000 \\ud800 1e400 -0 null true',
    ),
    run: (text) => {
      const packet = decodeFrame(Buffer.from(text), false);
      const reader = Object.entries({ ...payloadReaders, ...agentMessageSchemas }).find(
        ([type]) => type === packet.type,
      );
      if (reader !== undefined) decodePayload<unknown>(reader[1], packet.payload);
    },
  },
  {
    name: 'stream frames',
    seeds: [
      streamText({ type: 'open', id: 1, header: { kind: 'chart', digest: 'sha256:0', offset: 1 } }),
      streamText({ type: 'data', id: 1, bytes: Buffer.from('text') }),
      streamText({ type: 'credit', id: 2, bytes: 65_536 }),
      streamText({ type: 'reset', id: 3, code: 'busy', message: 'm' }),
    ],
    tokens: words('\u0001 \u0002 \u0003 \u0005 \u00ff {} [ null "code" "kind" {"code":1} \\ud800 1e400'),
    run: (text) => void decodeStreamFrame(Buffer.from(text, 'latin1')),
  },
];

/** Returns a binary frame as a text with a character for each byte. */
function streamText(frame: StreamFrame): string {
  return encodeStreamFrame(frame).toString('latin1');
}
