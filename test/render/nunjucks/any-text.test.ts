import test from 'ava';
import { defaultRenderLimits } from '../../../src/render/limits.ts';
import { RenderError } from '../../../src/render/render-error.ts';
import fc from '../../support/fast-check.ts';
import { renderOne } from './render-one.ts';

const pieces = fc.constantFrom(
  ...[
    '{{',
    '}}',
    '{%',
    '%}',
    '{#',
    '#}',
    '-%}',
    '{{-',
    ' ',
    '\n',
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    ',',
    ':',
    '.',
    '|',
    '=',
    '==',
    '~',
    '+',
    '-',
    '*',
    '/',
  ],
  ...[
    '//',
    '%',
    '**',
    '<',
    '"',
    "'",
    '\\',
    '"text"',
    '1',
    '2.5',
    '0',
    'r/',
    'é',
    '𝒳',
    'if',
    'else',
    'elif',
    'endif',
    'for',
    'in',
    'endfor',
    'set',
    'endset',
  ],
  ...[
    'macro',
    'endmacro',
    'call',
    'endcall',
    'block',
    'endblock',
    'extends',
    'include',
    'import',
    'from',
    'as',
    'with',
    'without',
    'context',
    'filter',
  ],
  ...[
    'endfilter',
    'switch',
    'case',
    'default',
    'endswitch',
    'raw',
    'endraw',
    'asyncEach',
    'ignore',
    'missing',
    'is',
    'not',
    'and',
    'or',
    'none',
    'true',
  ],
  ...[
    'Values',
    'a',
    'b',
    'loop',
    'super',
    'caller',
    'range',
    'upper',
    'toYaml',
    'tpl',
    'constructor',
    '__proto__',
    'length',
    '_p.njk',
    '"_p.njk"',
  ],
);

const words = fc.array(pieces, { maxLength: 25 }).map((parts) => parts.join(' '));
const glued = fc.array(pieces, { maxLength: 25 }).map((parts) => parts.join(''));
const inTags = words.map((text) => `{{ ${text} }}`);
const inBlocks = words.map((text) => `{% ${text} %}`);

test('renders any text or fails with a RenderError', (t) => {
  const limits = { ...defaultRenderLimits, steps: 10_000, outputBytes: 100_000 };
  const rendersOrFails = (text: string) => {
    try {
      renderOne(text, 'a: {b: [1, x]}', { limits, partials: { '_p.njk': '{% macro a(b) %}{{ b }}{% endmacro %}' } });
    } catch (error) {
      if (!(error instanceof RenderError)) throw error;
    }
  };
  t.notThrows(() =>
    fc.assert(fc.property(fc.oneof(words, glued, inTags, inBlocks), rendersOrFails), { numRuns: 3000, seed: 7 }),
  );
});
