import test from 'ava';
import { ChartError } from '../../src/chart/chart-error.ts';
import { loadArchive } from '../../src/chart/load/load-archive.ts';
import { deepEqual } from '../../src/go/deep-equal.ts';
import type { Value } from '../../src/go/value.ts';
import { readYaml } from '../../src/yaml/read.ts';
import { writeYaml, writeYamlPretty } from '../../src/yaml/write.ts';
import { mutated } from '../../tools/fuzz/mutate.ts';
import { randomOf } from '../../tools/fuzz/random.ts';
import { fuzzTargets, isOwnError } from '../../tools/fuzz/targets.ts';
import { archiveOf, type Entry } from '../chart/archive.ts';
import fc from '../support/fast-check.ts';

// A short run with a fixed seed. `npm run fuzz` runs longer and with other seeds.
for (const target of fuzzTargets) {
  test(`${target.name}: reads any text or fails with an error of the project`, (t) => {
    const pieces = fc.array(fc.oneof(fc.constantFrom(...target.tokens), fc.string({ unit: 'binary', maxLength: 3 })), {
      maxLength: 30,
    });
    const wrongTexts = fc.nat().map((seed) => mutated(target, randomOf(seed)));
    t.notThrows(() =>
      fc.assert(
        fc.property(
          fc.oneof(
            pieces.map((parts) => parts.join('')),
            wrongTexts,
          ),
          (text) => {
            try {
              target.run(text);
            } catch (error) {
              if (!isOwnError(error)) throw error;
            }
          },
        ),
        { numRuns: 100 },
      ),
    );
  });

  test(`${target.name}: reads the texts that the fuzzer starts from`, (t) => {
    for (const seed of target.seeds) t.notThrows(() => target.run(seed), seed);
  });
}

const scalar = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('yes', '0x1', '1_0', '~', '- a', 'a: b', ' #', '|', ''),
  fc.boolean(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constant(null),
);
// Helm does not quote the key `<<`, which then merges its value when it is read again.
const key = fc.string({ maxLength: 20 }).filter((text) => text !== '<<');
const { value: anyValue } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map((entries) => new Map(entries)),
  ),
}));

test('reads the YAML that it writes', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(anyValue, (value) => {
        for (const write of [writeYaml, writeYamlPretty]) {
          const text = write(value);
          if (!deepEqual(readYaml(text), value)) throw new Error(JSON.stringify(text));
        }
      }),
      { numRuns: 100 },
    ),
  );
});

test('loads any archive or fails with a chart error', async (t) => {
  const name = fc
    .array(
      fc.constantFrom(
        'c',
        'Chart.yaml',
        'values.yaml',
        'charts',
        'templates',
        'a.yaml',
        '..',
        '.',
        '',
        'x.tgz',
        'requirements.yaml',
        '.helmignore',
        '\\',
        'C:',
      ),
      { minLength: 1, maxLength: 5 },
    )
    .map((parts) => parts.join('/'));
  const text = fc.constantFrom(
    '',
    'name: c\nversion: 1.0.0\n',
    'apiVersion: v2\nname: c\nversion: 1.0.0\n',
    '{',
    '- a',
    '\0',
    'a: &a [*a]',
  );
  const type = fc.constantFrom('file', 'directory', 'symlink', 'link', 'fifo', 'character-device');
  const entry: fc.Arbitrary<Entry> = fc.oneof(
    text,
    type.map((kind) => ({ header: { type: kind, linkname: 'c/Chart.yaml' } })),
  );
  const entries = fc.array(fc.tuple(name, entry), { maxLength: 6 });
  const damage = fc.option(fc.tuple(fc.nat(), fc.nat({ max: 255 })));
  await t.notThrowsAsync(() =>
    fc.assert(
      fc.asyncProperty(entries, damage, async (named, damaged) => {
        const archive = await archiveOf({
          'c/Chart.yaml': 'name: c\nversion: 1.0.0\n',
          ...Object.fromEntries(named.filter(([path]) => path !== '')),
        });
        if (damaged !== null) archive[damaged[0] % archive.length] = damaged[1];
        try {
          await loadArchive(archive);
        } catch (error) {
          if (!(error instanceof ChartError)) throw error;
        }
      }),
      { numRuns: 100 },
    ),
  );
});
