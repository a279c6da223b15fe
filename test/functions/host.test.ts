import test from 'ava';
import { fixedHost } from '../support/host.ts';
import { runTemplate } from './template-runner.ts';

const berlin = { ...fixedHost, timeZone: 'Europe/Berlin' };

test("now is the host's time in the host's zone", (t) => {
  t.is(runTemplate('{{ now | date "2006-01-02 15:04:05.0 MST" }}', berlin), '2023-11-14 23:13:20.5 CET');
  t.is(runTemplate('{{ now }}'), '2023-11-14 22:13:20.5 +0000 UTC m=+0.000000000');
});

test('date functions use the current time if the argument is not a time', (t) => {
  t.is(runTemplate('{{ date "2006-01-02" "x" }} {{ htmlDate nil }}'), '2023-11-14 2023-11-14');
});

test("ago and durationRound are relative to the host's time", (t) => {
  t.is(runTemplate('{{ ago 1699999000 }} {{ now | dateModify "-49h" | durationRound }}'), '16m41s 2d');
});

test("dates without a zone are in the host's zone", (t) => {
  t.is(runTemplate('{{ toDate "2006-01-02" "2020-07-01" }}', berlin), '2020-07-01 00:00:00 +0200 CEST');
  t.is(runTemplate('{{ (toDate "2006-01-02" "2020-07-01").Location }}', berlin), 'Local');
  t.is(
    runTemplate('{{ toDate "2006-01-02 15:04 MST" "2020-01-01 10:00 CET" }}', berlin),
    '2020-01-01 10:00:00 +0100 CET',
  );
});

test('a local time skipped by daylight saving moves forward by an hour', (t) => {
  t.is(runTemplate('{{ toDate "2006-01-02 15:04" "2021-03-28 02:30" }}', berlin), '2021-03-28 03:30:00 +0200 CEST');
});

test("random strings use the host's random bytes and the named alphabet", (t) => {
  const template =
    '{{ randAlphaNum 40 }} {{ randAlpha 40 }} {{ randNumeric 40 }} {{ randAscii 40 | len }} {{ shuffle "abc" | len }}';
  t.regex(runTemplate(template), /^[0-9A-Za-z]{40} [A-Za-z]{40} [0-9]{40} 40 3$/);
  t.is(runTemplate(template), runTemplate(template));
});

test('uuidv4 returns a version 4 UUID', (t) => {
  t.regex(runTemplate('{{ uuidv4 }}'), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test("encryption and hashing are reproducible with the host's random bytes", (t) => {
  const template = '{{ encryptAES "k" "text" }} {{ bcrypt "x" }} {{ randBytes 3 }}';
  t.is(runTemplate(template), runTemplate(template));
  t.regex(runTemplate('{{ htpasswd "u" "p" }}'), /^u:\$2a\$10\$[./A-Za-z0-9]{53}$/);
});

test('keys and values follow the key order of the host', (t) => {
  const template = '{{ $d := dict "b" 2 "a" 1 "10" 4 "9" 3 }}{{ keys $d }} {{ values $d }} {{ toJson $d }}';
  t.is(runTemplate(template), '[10 9 a b] [4 3 1 2] {"10":4,"9":3,"a":1,"b":2}');
  t.is(
    runTemplate(template, { ...fixedHost, keyOrder: 'descending' }),
    '[b a 9 10] [2 1 3 4] {"10":4,"9":3,"a":1,"b":2}',
  );
});
