import test from 'ava';
import { slowAttack } from './support/pattern-time.ts';
import { sourcePatterns } from './support/source-patterns.ts';

/** Patterns that do not read long texts, and why. */
const exempt: Readonly<Record<string, string>> = {
  'src/agent/connection/dial-failure.ts': 'reads the codes of errors of OpenSSL',
  'src/go/semver-constraint.ts': 'constraints have at most 512 bytes',
  'src/lint/web-address.ts': 'addresses have at most 2,083 characters, and e-mail addresses 1,000',
};

/** Patterns that a running program makes, and an example of each. */
const made: Readonly<Record<string, RegExp>> = {
  "src/cli/text.ts new RegExp(`[${joiningScripts}]$`, 'u')": /[\p{Script=Arabic}\p{Script=Tamil}]$/u,
  "src/cli/text.ts new RegExp(`^[${joiningScripts}]`, 'u')": /^[\p{Script=Arabic}\p{Script=Tamil}]/u,
  'src/functions/toml/number.ts new RegExp(`${digits.source}|_`)': /[0-9A-Fa-f]|_/,
  'src/go/parse-number.ts new RegExp(`(?<!${digit})_|_(?!${digit})`)': /(?<![0-9a-f])_|_(?![0-9a-f])/,
  "src/go/printable.ts new RegExp(`^[${assignedSinceUnicode15}]$`, 'u')": /^[a-z]$/u,
  'src/go/time-parse.ts new RegExp(`^[.,][0-9]{${layout.length - 1}}`)': /^[.,][0-9]{9}/,
  'src/go/time-parse.ts new RegExp(`^([+-])${Array.from({ length: fields }, () => field).join(colon)}`)':
    /^([+-])([0-9]{2}):([0-9]{2}):([0-9]{2})/,
  // the patterns that it gets are literals in the same file
  "src/jsonpath/parse.ts new RegExp(pattern, 'yu')": /[^ \t\r\n.,[\]$@{}]*/uy,
  'src/lint/object-name.ts new RegExp(`^${pattern}$`)':
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
  // the end of a raw block of Nunjucks
  "src/render/nunjucks/compile/template.ts new RegExp(source, 'y')": /([\s\S]*?)\{%\s*endraw\s*(?=%\})%\}/y,
  "src/source/repository/index-file.ts new RegExp(`^( {0,${indent}})([^\\\\s#].*)$`, 'gm')": /^( {0,2})([^\s#].*)$/gm,
};

const patterns = sourcePatterns();
const folders = Map.groupBy(patterns, ({ file }) => file.split('/')[1] ?? '');

for (const [folder, own] of folders) {
  test.serial(`all patterns of ${folder}/ read 1 MiB of text that is made for them in 200 ms`, (t) => {
    for (const { name, file, pattern = made[name] } of own) {
      t.not(pattern, undefined, `${name} is made by the running program: add an example of it to this test`);
      if (pattern === undefined || file in exempt) continue;
      const slow = slowAttack(pattern);
      t.is(slow, undefined, `${name} takes too long for ${JSON.stringify(slow)}`);
    }
  });
}

test('finds patterns whose time is quadratic or exponential', (t) => {
  for (const pattern of [/a+$/, /^\s*,?\s*\}/, /^(a+)+$/, /\beyJ[\w-]{8,}\.[\w-]{8,}/, /,(?![^(]*\))/]) {
    t.truthy(slowAttack(pattern), String(pattern));
  }
});

test('each exempt file and each example belongs to a pattern', (t) => {
  t.deepEqual(
    Object.keys(exempt).filter((name) => !patterns.some(({ file }) => file === name)),
    [],
  );
  t.deepEqual(
    Object.keys(made).filter((text) => !patterns.some(({ name }) => name === text)),
    [],
  );
});
