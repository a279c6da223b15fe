import { Buffer } from 'node:buffer';
import { isIgnored, parseIgnoreRules } from '../../../src/chart/load/ignore-rules.ts';
import { readLock, readMetadata } from '../../../src/chart/metadata/read-metadata.ts';
import { validateMetadata } from '../../../src/chart/metadata/validate-metadata.ts';
import { setJson, setLiteral, setStrings, setValues } from '../../../src/chart/strvals/index.ts';
import { loadValues } from '../../../src/chart/values/load-values.ts';
import { schemaProblems } from '../../../src/chart/values/validate-values.ts';
import { parseUrl } from '../../../src/functions/support/net-url.ts';
import { encodeToml } from '../../../src/functions/toml/encode.ts';
import { parseToml } from '../../../src/functions/toml/parse.ts';
import { decodeJson } from '../../../src/go/json-decode.ts';
import { parseVersion } from '../../../src/go/semver.ts';
import { parseConstraint } from '../../../src/go/semver-constraint.ts';
import { utc } from '../../../src/go/time-zone.ts';
import { int, type Value, type ValueMap } from '../../../src/go/value.ts';
import { evaluateJsonPath } from '../../../src/jsonpath/evaluate.ts';
import { parseJsonPath } from '../../../src/jsonpath/parse.ts';
import { objectHeads } from '../../../src/lint/each-object.ts';
import { readObjects } from '../../../src/render/manifest/read-objects.ts';
import { sortManifests } from '../../../src/render/manifest/sort-manifests.ts';
import { unreadableManifest } from '../../../src/render/manifest/unreadable.ts';
import { parseTemplate as parseNunjucks } from '../../../src/render/nunjucks/compile/template.ts';
import { templateText } from '../../../src/render/nunjucks/position.ts';
import { compileGlob } from '../../../src/render/scope/glob.ts';
import { parseReference } from '../../../src/source/oci/reference.ts';
import { findChart } from '../../../src/source/repository/find-chart.ts';
import { TemplateSet } from '../../../src/template/template-set.ts';
import { readCertificate } from '../../../src/x509/certificate.ts';
import { decodePem } from '../../../src/x509/pem.ts';
import { duplicateKeyProblem } from '../../../src/yaml/duplicate-keys.ts';
import { readTypedYaml, readYaml } from '../../../src/yaml/read.ts';
import { writeYaml } from '../../../src/yaml/write.ts';

/** A text that can be made of any length, and the parser that reads it. */
export interface GrowingText {
  readonly name: string;
  /** Returns a text of about this many characters. */
  readonly ofLength: (length: number) => string;
  readonly read: (text: string) => unknown;
}

type Piece = (i: number) => string;

/** Returns texts that consist of a start, of pieces, and of an end. */
function pieces(piece: Piece, start = '', end = ''): (length: number) => string {
  return (length) => {
    const parts = [start];
    for (let i = 0, size = start.length; size < length; i++) {
      const part = piece(i);
      parts.push(part);
      size += part.length;
    }
    return parts.join('') + end;
  };
}

const repeated = (part: string, start = '', end = '') => pieces(() => part, start, end);

function shapes(
  parser: string,
  read: (text: string) => unknown,
  texts: Readonly<Record<string, (length: number) => string>>,
): GrowingText[] {
  return Object.entries(texts).map(([name, ofLength]) => ({ name: `${parser}: ${name}`, ofLength, read }));
}

const yamlTexts = {
  keys: pieces((i) => `key${i}: value\n`),
  'one key again and again': repeated('k: v\n'),
  'keys without values': pieces((i) => `key${i}:\n`),
  'keys that are numbers': pieces((i) => `${i}: ${i}\n`),
  'complex keys': pieces((i) => `? key${i}\n: value\n`),
  'complex keys without values': pieces((i) => `? key${i}\n`),
  'list items': repeated('- a\n'),
  'lists below keys': pieces((i) => `key${i}:\n- a\n- b\n`),
  'nested lists': repeated(`${'- '.repeat(400)}a\n`),
  'nested keys': repeated(Array.from({ length: 60 }, (_, i) => `${' '.repeat(i)}k:\n`).join('')),
  'nested flow lists': repeated(`- ${'['.repeat(400)}${']'.repeat(400)}\n`),
  'nested flow lists, not closed': repeated('['),
  'nested flow mappings': repeated(`- ${'{a: '.repeat(300)}1${'}'.repeat(300)}\n`),
  'a flow list': repeated('a, ', '[', ']'),
  'a flow list of lines': repeated('a,\n ', '[', ']'),
  'a flow list, not closed': repeated('a, ', '['),
  'a flow list of characters beyond the basic plane': repeated('😀,', '[', ']'),
  'flow lists of characters beyond the basic plane': repeated(`- ${'[😀,'.repeat(300)}${']'.repeat(300)}\n`),
  'a flow list of empty lists': repeated('[],', '[', ']'),
  'a flow list of pairs': pieces((i) => `k${i}: v,`, '[', ']'),
  'a flow mapping': pieces((i) => `k${i}: v, `, '{', '}'),
  'a flow mapping of lines': pieces((i) => `k${i}: v,\n  `, '{', '}'),
  'a flow mapping without values': pieces((i) => `k${i}, `, '{', '}'),
  'quotes in a flow list': repeated('"a", ', '[', ']'),
  'a text in single quotes': repeated('a b ', "k: '", "'"),
  'single quotes in single quotes': repeated("''", "k: '", "'"),
  'a text in double quotes': repeated('a b ', 'k: "', '"'),
  'escapes in double quotes': repeated('\\n\\u00e9', 'k: "', '"'),
  'joined lines in double quotes': repeated('a\\\n  ', 'k: "', '"'),
  'lines in double quotes': repeated('a\n  ', 'k: "', '"'),
  'empty lines in double quotes': repeated('\n', 'k: "', '"'),
  'double quotes, not closed': repeated('a ', 'k: "'),
  'single quotes, not closed': repeated('a\n ', "k: '"),
  'a long word': repeated('a', 'k: '),
  'a long line of words': repeated('a ', 'k: '),
  'a plain text of many lines': repeated('a\n  ', 'k: '),
  'a plain text with empty lines': repeated('\n', 'k: a', '\n  b'),
  'a long key': repeated('a', '', ': 1'),
  'a long number': repeated('9', 'k: '),
  'a long hexadecimal number': repeated('f', 'k: 0x'),
  'a long number with underscores': repeated('9_', 'k: '),
  'a long fraction': repeated('9', 'k: 0.'),
  'a long exponent': repeated('9', 'k: 1e'),
  'a long time': repeated('9', 'k: 2001-01-01T01:01:01.', 'Z'),
  'dots and digits': repeated('_1', 'k: .1', 'x'),
  'colons and digits': repeated(':1', 'k: 1', 'x'),
  comments: repeated('# comment\n', '', 'k: v\n'),
  'a long comment': repeated('#', 'k: v '),
  'comments after values': pieces((i) => `k${i}: v # comment\n`),
  'empty lines': repeated('\n', 'k: v\n', 'l: w\n'),
  spaces: repeated(' ', 'k:', 'v\n'),
  tabs: repeated('\t', 'k:', 'v\n'),
  'carriage returns': repeated('\r\n', 'k: v\n', 'l: w\n'),
  'a literal block': repeated('  line\n', 'k: |\n'),
  'a folded block': repeated('  line\n', 'k: >\n'),
  'a folded block with empty lines': repeated('  line\n\n', 'k: >\n'),
  'a block of empty lines': repeated('\n', 'k: |+\n'),
  'a block of lines of spaces': repeated('   \n', 'k: |+\n', '   a\n'),
  'small blocks': pieces((i) => `k${i}: |-\n  a\n`),
  'a block indented far': repeated(' ', 'k: |\n', 'a\n'),
  anchors: pieces((i) => `k${i}: &a${i} v\n`),
  'one anchor again and again': repeated('- &a v\n'),
  aliases: repeated('- *a\n', '- &a v\n'),
  'aliases of a list': repeated('- *a\n', '- &a [1, 2, 3]\n'),
  'chains of aliases': pieces((i) => (i % 9 === 0 ? `k${i}: &a v\n` : `k${i}: &a [*a]\n`)),
  'merged mappings': repeated('- {<<: *a, c: 1}\n', '- &a {b: 1}\n'),
  'a merge of many mappings': repeated('*a, ', '- &a {b: 1}\n- <<: [', ']'),
  'merges in one mapping': repeated('  <<: *a\n', '- &a {b: 1}\n- c: 1\n'),
  'merges in merges': pieces((i) => (i % 9 === 0 ? `k${i}: &a {b: 1}\n` : `k${i}: &a {<<: *a}\n`)),
  tags: repeated('- !!str 1\n'),
  'a long tag': repeated('a', '- !', ' 1'),
  'tag directives': pieces((i) => `%TAG !h${i}! tag:x,2000:\n`, '', '---\na: 1\n'),
  'escapes in a tag': repeated('%41', '- !', ' 1'),
  'a long anchor': repeated('a', '- &', ' 1'),
  'binary values': repeated('aGk=', '- !!binary ', ''),
  documents: pieces((i) => `k${i}: v\n---\n`),
  'markers of documents': repeated('---\n'),
  'ends of documents': repeated('...\n', 'a: 1\n'),
  'invalid characters': repeated('a', 'k: ', '\x01'),
  'bytes that are not UTF-8': repeated('\udcff', 'k: '),
  'text in UTF-16': repeated('a\0', '\udcff\udcfe'),
  'question marks': repeated('? '),
  colons: repeated(': '),
  'colons in words': repeated('a:', 'k: '),
  dashes: repeated('-', 'k: '),
  'dashes and spaces': repeated('- -\n'),
  'indentation that grows and shrinks': repeated('a:\n  b:\n    c: 1\n'),
  'numbers that JSON does not know': pieces((i) => `k${i}: .nan\n`),
  'keys that JSON does not know': repeated('? ~\n: v\n'),
};

const indexHead = 'apiVersion: v1\nentries:\n';
const jsonVersion = (i: number) => `{"name":"a","version":"1.0.${i}","urls":["a-${i}.tgz"]}`;
const query = { where: 'https://repo.example/index.yaml', chartName: 'a' };
const indexTexts = {
  'charts in sections': pieces((i) => `  c${i}:\n  - name: c${i}\n    version: 1.0.0\n    urls: [c.tgz]\n`, indexHead),
  'versions of a chart': pieces((i) => `  - name: a\n    version: 1.0.${i}\n    urls: [a.tgz]\n`, `${indexHead}  a:\n`),
  'versions with pre-releases': pieces(
    (i) => `  - {name: a, version: 1.0.0-a.${i % 7}.b.${i}, urls: [a.tgz]}\n`,
    `${indexHead}  a:\n`,
  ),
  'versions that are not valid': repeated('  - {name: a, version: x}\n', `${indexHead}  a:\n`),
  'keywords of a version': repeated('    - word\n', `${indexHead}  a:\n  - name: a\n    keywords:\n`),
  'charts in flow style': pieces((i) => `c${i}: [{name: a, version: 1.0.0}],\n`, `{apiVersion: v1, entries: {`, '}}'),
  'charts in JSON': pieces((i) => `"c${i}":[${jsonVersion(i)}],`, '{"apiVersion":"v1","entries":{', '"a":[]}}'),
  'versions in JSON': pieces((i) => `${jsonVersion(i)},`, '{"apiVersion":"v1","entries":{"a":[', '{}]}}'),
  'JSON that is not closed': pieces((i) => `"c${i}":[],`, '{"apiVersion":"v1","entries":{'),
  'lines with far indentation': repeated(`${' '.repeat(500)}a: b\n`, `${indexHead}  a:\n`),
  'empty lines': repeated('\n', indexHead, '  a: []\n'),
  spaces: repeated(' ', 'entries:', '\napiVersion: v1\n'),
  'white space': repeated(' ', '', '{'),
  'keys that look like entries': repeated('entries: x\n'),
};

const templateTexts = {
  actions: pieces((i) => `{{ .Values.a${i} }}\n`),
  'actions on one line': repeated('{{ .a }}'),
  comments: repeated('{{/* c */}}\n'),
  'trimming comments': repeated(' {{- /* c */ -}} '),
  'spaces to trim': repeated(' ', '{{- "a" -}}', '{{- "b" -}}'),
  'spaces between actions that trim': repeated('     {{- "a" -}}     '),
  text: repeated('text\n'),
  braces: repeated('{'),
  'closing braces': repeated('}'),
  'a pipeline': repeated(' | quote', '{{ "a"', ' }}'),
  arguments: repeated(' 1', '{{ list', ' }}'),
  'a chain of fields': repeated('.a', '{{ .Values', ' }}'),
  'parentheses next to each other': repeated(' (list)', '{{ list', ' }}'),
  'nested parentheses': repeated(`{{ ${'('.repeat(100)}1${')'.repeat(100)} }}\n`),
  conditions: repeated('{{ if .a }}b{{ else }}c{{ end }}\n'),
  'nested conditions': repeated(`${'{{ if .a }}'.repeat(100)}b${'{{ end }}'.repeat(100)}\n`),
  'else if': repeated(`{{ if .a }}${'{{ else if .b }}b'.repeat(100)}{{ end }}\n`),
  ranges: repeated('{{ range $i, $x := .a }}{{ $x }}{{ end }}\n'),
  variables: pieces((i) => `{{ $x${i} := 1 }}\n`),
  'uses of many variables': pieces((i) => `{{ $x${i} := 1 }}{{ $x0 }}\n`),
  definitions: pieces((i) => `{{ define "d${i}" }}a{{ end }}\n`),
  blocks: pieces((i) => `{{ block "d${i}" . }}a{{ end }}\n`),
  'a long string': repeated('a', '{{ "', '" }}'),
  'escapes in a string': repeated('\\n\\u00e9', '{{ "', '" }}'),
  'a raw string': repeated('a\n', '{{ `', '` }}'),
  'a string that is not closed': repeated('a', '{{ "'),
  'a long number': repeated('9', '{{ ', ' }}'),
  'a long hexadecimal number': repeated('f', '{{ 0x', ' }}'),
  'a long word': repeated('a', '{{ ', ' }}'),
  'space in an action': repeated(' ', '{{ 1', '}}'),
  'lines in an action': repeated(' \n', '{{ 1', '}}'),
  'a comment that is not closed': repeated('a ', '{{/* '),
  'an error on the last line': repeated('\n', '', '{{ x }}'),
  'an error after many actions': repeated('{{ 1 }}\n', '', '{{ x }}'),
};

const nunjucksTexts = {
  outputs: pieces((i) => `{{ values.a${i} }}\n`),
  text: repeated('text\n'),
  comments: repeated('{# c #}\n'),
  'a comment that is not closed': repeated('a ', '{# '),
  'closing braces': repeated('}'),
  percents: repeated('{%'),
  'spaces to trim': repeated(' ', '{{- "a" -}}', '{{- "b" -}}'),
  filters: repeated(' | upper', '{{ "a"', ' }}'),
  members: repeated('.a', '{{ values', ' }}'),
  sums: repeated(`{{ 1${' + 1'.repeat(100)} }}\n`),
  lists: repeated('1, ', '{{ [', '1] }}'),
  conditions: repeated('{% if a %}b{% else %}c{% endif %}\n'),
  'nested conditions': repeated(`${'{% if a %}'.repeat(50)}b${'{% endif %}'.repeat(50)}\n`),
  loops: repeated('{% for x in a %}{{ x }}{% endfor %}\n'),
  macros: pieces((i) => `{% macro m${i}(a) %}{{ a }}{% endmacro %}\n`),
  'raw blocks': repeated('{% raw %}{{ a }}{% endraw %}\n'),
  'a raw block': repeated('{{ a }}\n', '{% raw %}', '{% endraw %}'),
  'a raw block that is not closed': repeated('{{ a }}\n', '{% raw %}'),
  'nested raw blocks': repeated('{% raw %}', '', ''),
  'a long string': repeated('a', '{{ "', '" }}'),
  'escapes in a string': repeated('\\n', '{{ "', '" }}'),
  'a string that is not closed': repeated('a', '{{ "'),
  'a regular expression': repeated('a', '{{ r/', '/g }}'),
  'space in a tag': repeated(' ', '{{ 1', '}}'),
  'a long number': repeated('9', '{{ ', ' }}'),
  'a long word': repeated('a', '{{ ', ' }}'),
};

const jsonTexts = {
  'a list': repeated('1,', '[', '1]'),
  'an object': pieces((i) => `"k${i}":1,`, '{', '"k":1}'),
  'one key': repeated('"k":1,', '{', '"k":1}'),
  'nested lists': repeated(`${'['.repeat(500)}1${']'.repeat(500)},`, '[', '1]'),
  'a long string': repeated('a', '"', '"'),
  escapes: repeated('\\n\\u00e9', '"', '"'),
  'a long number': repeated('9', '', ''),
  'white space': repeated(' ', '[', '1]'),
  'a string that is not closed': repeated('a', '"'),
};

const tomlTexts = {
  keys: pieces((i) => `k${i} = 1\n`),
  tables: pieces((i) => `[t${i}]\nk = 1\n`),
  'arrays of tables': repeated('[[t]]\nk = 1\n'),
  'dotted keys': pieces((i) => `a.b.k${i} = 1\n`),
  'keys of many parts': pieces((i) => `${'a.'.repeat(60)}k${i} = 1\n`),
  'a list': repeated('1, ', 'a = [', ']'),
  'a list of lines': repeated('1,\n# c\n', 'a = [', ']'),
  'nested lists': repeated(`${'['.repeat(100)}1${']'.repeat(100)},`, 'a = [', ']'),
  'an inline table': pieces((i) => `k${i} = 1, `, 'a = {', 'z = 1}'),
  'inline tables in a list': repeated('{b = 1}, ', 'a = [', ']'),
  'nested inline tables': pieces((i) => `k${i} = ${'{a = '.repeat(50)}1${'}'.repeat(50)}\n`),
  'a string': repeated('a', 'a = "', '"'),
  escapes: repeated('\\n\\u00e9', 'a = "', '"'),
  'a string of lines': repeated('a\n', 'a = """', '"""'),
  'quotes in a string of lines': repeated('""a', 'a = """', '"""'),
  'joined lines': repeated('a\\\n  ', 'a = """', '"""'),
  'backslashes and spaces': repeated(' ', 'a = """\\', '"""'),
  'a literal string': repeated('a', "a = '", "'"),
  'a long number': repeated('9', 'a = '),
  'a long hexadecimal number': repeated('f', 'a = 0x'),
  'a long number with underscores': repeated('9_', 'a = ', '9'),
  'a long fraction': repeated('9', 'a = 0.'),
  'a long time': repeated('9', 'a = 2001-01-01T01:01:01.', 'Z'),
  comments: repeated('# c\n'),
  'empty lines': repeated('\n', 'a = 1', 'b = 2'),
};

const strvalsTexts = {
  assignments: pieces((i) => `k${i}=v,`),
  'one key': repeated('k=v,'),
  'nested keys': pieces((i) => `a.b.c.k${i}=v,`),
  'list elements': pieces((i) => `a[${i % 5000}]=v,`),
  'nested list elements': pieces((i) => `a[0][${i % 500}].b=v,`),
  'a list': repeated('v,', 'a={', '}'),
  'a long value': repeated('v', 'a='),
  'a long number': repeated('9', 'a='),
  'a long key': repeated('k'),
  escapes: repeated('\\,', 'a='),
  'a long index': repeated('9', 'a[', ']=1'),
  'text after an index': repeated('x', 'a[0]', '=1'),
  'JSON values': pieces((i) => `k${i}={"a":1},`),
  'JSON lists': repeated('1,', 'a=[', '1]'),
  dots: repeated('.'),
  brackets: repeated('['),
  commas: repeated(','),
};

const manifest = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n';
const manifestTexts = {
  objects: repeated(`---\n# Source: a/b.yaml\n${manifest}`),
  'empty documents': repeated('---\n'),
  'documents of spaces': repeated('---\n   \n'),
  'markers with text': repeated('--- # c\n'),
  'dashes in lines': repeated(' ---', 'a: b'),
  'empty lines': repeated('\n'),
  'spaces after a marker': repeated(' ', '---', '\na'),
  'a list of objects': repeated(
    '- {apiVersion: v1, kind: ConfigMap, metadata: {name: c}}\n',
    'apiVersion: v1\nkind: List\nitems:\n',
  ),
  'nested lists of objects': repeated(
    `- ${'{apiVersion: v1, kind: List, items: ['.repeat(50)}${']}'.repeat(50)}\n`,
    'apiVersion: v1\nkind: List\nitems:\n',
  ),
  comments: repeated('# Source: a\n', '', manifest),
  'long comments': repeated('# Source:', '# ', `\n${manifest}`),
  annotations: pieces((i) => `    a${i}: b\n`, 'apiVersion: v1\nkind: C\nmetadata:\n  name: c\n  annotations:\n'),
};

const schemaTexts = {
  properties: pieces((i) => `"p${i}":{"type":"string"},`, '{"properties":{', '"a":{}}}'),
  'required names': pieces((i) => `"p${i}",`, '{"required":[', '"a"]}'),
  enumerations: pieces((i) => `"p${i}",`, '{"properties":{"a":{"enum":[', '"a"]}}}'),
  allOf: repeated('{"type":"object"},', '{"allOf":[', '{}]}'),
  anyOf: repeated('{"type":"string"},', '{"anyOf":[', '{}]}'),
  'a chain of references': pieces(
    (i) => `"d${i}":{"allOf":[{"type":"object"},{"$ref":"#/$defs/d${i + 1}"}]},`,
    '{"$ref":"#/$defs/d0","$defs":{',
    '"z":{}}}',
  ),
  'references to one definition': repeated(
    '{"$ref":"#/$defs/a"},',
    '{"$defs":{"a":{"type":"object"}},"allOf":[',
    '{}]}',
  ),
  definitions: pieces((i) => `"d${i}":{"type":"object"},`, '{"$defs":{', '"z":{}}}'),
  anchors: pieces((i) => `"d${i}":{"$anchor":"a${i}"},`, '{"$defs":{', '"z":{}}}'),
  identifiers: pieces((i) => `"d${i}":{"$id":"http://x/${i}"},`, '{"$defs":{', '"z":{}}}'),
  'nested properties': repeated(
    `"a":${'{"properties":{"a":'.repeat(100)}{}${'}}'.repeat(100)},`,
    '{"properties":{',
    '"z":{}}}',
  ),
  'items of a list': repeated('{"type":"object"},', '{"properties":{"l":{"prefixItems":[', '{}]}}}'),
  'patterns of names': pieces((i) => `"^p${i}":{},`, '{"patternProperties":{', '"z":{}}}'),
  'a long pattern': repeated('a?', '{"properties":{"s":{"pattern":"', '"}}}'),
  'names that are not allowed': repeated('a', '{"type":"', '"}'),
};

const jsonPathTexts = {
  text: repeated('text '),
  expressions: repeated('{.a}'),
  fields: repeated('.a', '{', '}'),
  indexes: repeated('[0]', '{.a', '}'),
  unions: repeated('0,', '{.a[', '0]}'),
  'a long name': repeated('a', '{.', '}'),
  escapes: repeated('\\.', '{.', '}'),
  filters: repeated('[?(@.a==1)]', '{.a', '}'),
  'nested filters': repeated(`${'[?(@.a'.repeat(50)}${')]'.repeat(50)}`, '{.a', '}'),
  'a filter that is not closed': repeated('a', '{.a[?('),
  strings: repeated('"a"', '{', '}'),
  'a long string': repeated('a', '{"', '"}'),
  'a long number': repeated('9', '{', '}'),
  brackets: repeated('[', '{.a', '}'),
  spaces: repeated(' ', '{', '}'),
  dots: repeated('.', '{', '}'),
};

const names = {
  'a long word': repeated('a'),
  digits: repeated('9'),
  dots: repeated('1.'),
  dashes: repeated('-', '1.0.0'),
  slashes: repeated('/', 'oci://host', 'a'),
  'parts and separators': repeated('a-/', 'oci://host/'),
  'dots and slashes': repeated('a._', 'oci://host/', '!'),
  spaces: repeated(' ', '1', '1'),
  commas: repeated(',1', '1'),
  'parts of a range': repeated(' || 1', '1'),
  'ranges with dashes': repeated('1 - 2 ', ''),
};

const ignoreTexts = {
  rules: pieces((i) => `file${i}*\n`),
  comments: repeated('# c\n'),
  'negated rules': repeated('!a\n'),
  'white space': repeated(' ', 'a', '\n'),
  'a long rule': repeated('a'),
  'a rule of stars': repeated('*a', '', 'b'),
  'a rule of question marks': repeated('?'),
  'a rule of brackets': repeated('[a-z]'),
  'a bracket of ranges': repeated('a-z', '[', ']'),
  'a bracket that is not closed': repeated('a', '['),
  backslashes: repeated('\\\\'),
};

const pemTexts = {
  'a long block': repeated(`${'A'.repeat(64)}\n`, '-----BEGIN X-----\n', '-----END X-----\n'),
  'small blocks': repeated('-----BEGIN X-----\nA===\n-----END X-----\n'),
  headers: repeated('A: b\n', '-----BEGIN X-----\n', '\nAAAA\n-----END X-----\n'),
  'headers that are not closed': repeated('A: b\n', '-----BEGIN X-----\n'),
  'lines that begin': repeated('-----BEGIN X-----\n'),
  'lines that begin, with space': repeated(' ', '-----BEGIN X-----', 'x'),
  'lines that begin, with names': repeated('-----BEGIN ', '', ''),
  'lines that end': repeated('-----END X-----\n', '-----BEGIN X-----\n'),
  'text that does not begin': repeated('A'.repeat(64) + '\n'),
  'empty lines': repeated('\n'),
};

const derTexts = {
  'nested sequences': (length: number) => '3080'.repeat(Math.min(400, length / 4)),
  'a long sequence': (length: number) => derSequence('0500'.repeat(length / 4)),
  'a long identifier': (length: number) => derSequence(`06${derLength(length / 2)}${'81'.repeat(length / 2)}`),
  'a long integer': (length: number) => derSequence(`02${derLength(length / 2)}${'7f'.repeat(length / 2)}`),
};

function derLength(bytes: number): string {
  return `84${Math.floor(bytes).toString(16).padStart(8, '0')}`;
}

function derSequence(content: string): string {
  return `30${derLength(content.length / 2)}${content}`;
}

const values: ValueMap = new Map<string, Value>([
  ['a', new Map<string, Value>([['a', [int(1)]]])],
  ['l', [1, 2]],
  ['s', 'text'],
]);

const functions = new Map(
  ['quote', 'list', 'dict'].map((name) => [name, { params: ['interface {}'], variadic: true, call: () => '' }]),
);

/** All parsers of texts that strangers write, each with the shapes of text that could be slow. */
export const growingTexts: readonly GrowingText[] = [
  ...shapes('YAML', (text) => readYaml(text), yamlTexts),
  ...shapes('typed YAML', readTypedYaml, { keys: yamlTexts.keys }),
  ...shapes('values', loadValues, {
    documents: yamlTexts.documents,
    'documents after many keys': (length) => yamlTexts.keys(length / 2) + '---\na: 1\n'.repeat(length / 20),
    'documents with nested keys': pieces((i) => `a: {b: {k${i}: v}}\n---\n`),
    'carriage returns': repeated('a: 1\r\n---\r\n'),
    'markers of documents': yamlTexts['markers of documents'],
    'empty lines': yamlTexts['empty lines'],
    'spaces after markers': repeated(' ', 'a: 1\n---', '\nb: 1'),
    'spaces before a comment': repeated(' ', 'a: 1\n--- #', 'c\nb: 1'),
  }),
  ...shapes('duplicate keys', duplicateKeyProblem, {
    keys: yamlTexts.keys,
    'one key again and again': yamlTexts['one key again and again'],
  }),
  ...shapes('written YAML', (text) => writeYaml(text), {
    'a long word': repeated('a'),
    words: repeated('a '),
    lines: repeated('a\n'),
    'a long line before a short one': repeated('a', '', '\nb\n'),
    'empty lines': repeated('\n'),
    spaces: repeated(' '),
    digits: repeated('1'),
    'digits and colons': repeated('1:'),
    'digits and underscores': repeated('_1', '.1'),
    quotes: repeated('"'),
    colons: repeated('a:'),
  }),
  ...shapes('Chart.yaml', (text) => validateMetadata(readMetadata(text)), {
    keywords: repeated('- word\n', 'apiVersion: v2\nname: c\nversion: 1.0.0\nkeywords:\n'),
    dependencies: pieces(
      (i) => `- {name: d${i}, version: 1}\n`,
      'apiVersion: v2\nname: c\nversion: 1.0.0\ndependencies:\n',
    ),
    'dependencies of one name': pieces(
      (i) => `- {name: d, alias: a${i}}\n`,
      'apiVersion: v2\nname: c\nversion: 1.0.0\ndependencies:\n',
    ),
    annotations: pieces((i) => `  a${i}: b\n`, 'apiVersion: v2\nname: c\nversion: 1.0.0\nannotations:\n'),
    'unknown fields': pieces((i) => `f${i}: b\n`, 'apiVersion: v2\nname: c\nversion: 1.0.0\n'),
    maintainers: repeated('- {name: n}\n', 'apiVersion: v2\nname: c\nversion: 1.0.0\nmaintainers:\n'),
    'a wrong type': repeated('- []\n', 'apiVersion: v2\nname: c\nversion: 1.0.0\nkeywords:\n'),
    'a long description': repeated('é\t', 'description: "', '"'),
    'a long name': repeated('a', 'apiVersion: v2\nname: '),
    'a long version': repeated('1.', 'apiVersion: v2\nname: c\nversion: '),
  }),
  ...shapes('Chart.lock', readLock, { dependencies: pieces((i) => `- {name: d${i}}\n`, 'dependencies:\n') }),
  ...shapes('index', (text) => findChart(text, query), indexTexts),
  ...shapes(
    '--set',
    (text) => {
      setValues(text, new Map());
    },
    strvalsTexts,
  ),
  ...shapes(
    '--set-string',
    (text) => {
      setStrings(text, new Map());
    },
    strvalsTexts,
  ),
  ...shapes(
    '--set-literal',
    (text) => {
      setLiteral(text, new Map());
    },
    strvalsTexts,
  ),
  ...shapes(
    '--set-json',
    (text) => {
      setJson(text, new Map());
    },
    strvalsTexts,
  ),
  ...shapes('version', parseVersion, names),
  ...shapes('version range', parseConstraint, names),
  ...shapes('image or chart reference', parseReference, names),
  ...shapes('URL', parseUrl, {
    ...names,
    colons: repeated(':', 'http://h'),
    ats: repeated('@', 'http://h'),
    percents: repeated('%41', 'http://h/'),
  }),
  ...shapes('TOML', (text) => encodeToml(parseToml(text, utc)), tomlTexts),
  ...shapes('JSON', decodeJson, jsonTexts),
  ...shapes('template', (text) => TemplateSet.parse([{ name: 't', text }], { functions }), templateTexts),
  ...shapes('Nunjucks', (text) => parseNunjucks(templateText('t', text)), nunjucksTexts),
  ...shapes('manifest', (text) => [...readObjects(text, 'p')], manifestTexts),
  ...shapes('split manifests', (text) => sortManifests(new Map([['a', text]]), unreadableManifest), manifestTexts),
  ...shapes('linted manifest', (text) => [...objectHeads(text)], {
    ...manifestTexts,
    'objects in JSON': repeated('{"apiVersion":"v1","kind":"C","metadata":{"name":"c"}}\n'),
  }),
  ...shapes('JSONPath', (text) => evaluateJsonPath(parseJsonPath(text), values), jsonPathTexts),
  ...shapes('.helmignore', (text) => isIgnored(parseIgnoreRules(text), 'a'.repeat(20), false), ignoreTexts),
  ...shapes(
    'name for .helmignore',
    (text) => isIgnored(parseIgnoreRules('*a*a*a*a*ab\n[a-z]*[a-z]*[a-z]b\n'), text, false),
    names,
  ),
  ...shapes('.Files.Glob', (text) => compileGlob(text)('a'.repeat(20)), {
    ...ignoreTexts,
    'double stars': repeated('**/'),
    alternatives: repeated('a,', '{', '}'),
  }),
  ...shapes('name for .Files.Glob', compileGlob('*a*a*a*a*ab'), names),
  ...shapes('values.schema.json', (text) => schemaProblems(Buffer.from(text), values), schemaTexts),
  ...shapes('PEM', decodePem, pemTexts),
  ...shapes('certificate', (text) => readCertificate(Buffer.from(text, 'hex')), derTexts),
];
