import test from 'ava';
import { functionMap } from '../../src/functions/function-map.ts';
import { GoError, type GoFunction } from '../../src/go/value.ts';
import { fixedHost } from '../support/host.ts';
import { recordedCases } from './recorded-cases.ts';
import { runTemplate, runTemplateWith } from './template-runner.ts';

/** Functions of Sprig 3.3.0 (functions.go: genericMap), except `env`, `expandenv` and `fail`. */
const sprigFunctions = `
  abbrev abbrevboth add add1 add1f addf adler32sum ago all any append atoi b32dec b32enc b64dec
  b64enc base bcrypt biggest buildCustomCert camelcase cat ceil chunk clean coalesce compact
  concat contains date dateInZone dateModify date_in_zone date_modify decryptAES deepCopy
  deepEqual default derivePassword dict dig dir div divf duration durationRound empty encryptAES
  ext first float64 floor fromJson genCA genCAWithKey genPrivateKey genSelfSignedCert
  genSelfSignedCertWithKey genSignedCert genSignedCertWithKey get getHostByName has hasKey
  hasPrefix hasSuffix hello htmlDate htmlDateInZone htpasswd indent initial initials int int64
  isAbs join kebabcase keys kindIs kindOf last list lower max maxf merge mergeOverwrite min minf
  mod mul mulf mustAppend mustChunk mustCompact mustDateModify mustDeepCopy mustFirst mustFromJson
  mustHas mustInitial mustLast mustMerge mustMergeOverwrite mustPrepend mustPush mustRegexFind
  mustRegexFindAll mustRegexMatch mustRegexReplaceAll mustRegexReplaceAllLiteral mustRegexSplit
  mustRest mustReverse mustSlice mustToDate mustToJson mustToPrettyJson mustToRawJson mustUniq
  mustWithout must_date_modify nindent nospace now omit osBase osClean osDir osExt osIsAbs pick
  pluck plural prepend push quote randAlpha randAlphaNum randAscii randBytes randInt randNumeric
  regexFind regexFindAll regexMatch regexQuoteMeta regexReplaceAll regexReplaceAllLiteral
  regexSplit repeat replace rest reverse round semver semverCompare seq set sha1sum sha256sum
  sha512sum shuffle slice snakecase sortAlpha split splitList splitn squote sub subf substr
  swapcase ternary title toDate toDecimal toJson toPrettyJson toRawJson toString toStrings trim
  trimAll trimPrefix trimSuffix trimall trunc tuple typeIs typeIsLike typeOf uniq unixEpoch unset
  until untilStep untitle upper urlJoin urlParse uuidv4 values without wrap wrapWith
`;

/** Functions of Helm 4.2.4 (pkg/engine/funcs.go: funcMap) that a render does not have to supply. */
const helmFunctions = `
  fromJsonArray fromToml fromYaml fromYamlArray mustToToml mustToYaml toToml toYaml toYamlPretty
`;

/**
 * Functions that no recorded case calls. Tests in this folder cover them: the results of most
 * depend on the host.
 */
const unrecorded = `
  ago genSelfSignedCertWithKey genSignedCert getHostByName hello now randAscii randNumeric
`;

function words(text: string): string[] {
  return text.trim().split(/\s+/).toSorted();
}

const functions = functionMap(fixedHost);

test('has exactly the functions of Sprig and Helm that do not read the environment or need a render', (t) => {
  t.deepEqual([...functions.keys()].toSorted(), words(sprigFunctions + helmFunctions));
});

test("compares every function with Helm's output, except those without a recording", (t) => {
  const called = new Set<string>();
  const noting = [...functions].map(([name, own]): [string, GoFunction] => {
    const call: GoFunction['call'] = (...args) => {
      called.add(name);
      return own.call(...args);
    };
    return [name, { ...own, call }];
  });
  for (const { template } of recordedCases()) {
    try {
      runTemplateWith(new Map(noting), template);
    } catch (error) {
      if (!(error instanceof GoError)) throw error; // as recorded
    }
  }
  t.deepEqual([...functions.keys()].filter((name) => !called.has(name)).toSorted(), words(unrecorded));
});

test('hello greets, as in Sprig', (t) => {
  t.is(runTemplate('{{ hello }}'), 'Hello!');
});

test('getHostByName never uses the network', (t) => {
  t.is(runTemplate('{{ getHostByName "localhost" }}'), '');
});
