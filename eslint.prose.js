// How the project writes: plain English in comments, strings and Markdown, wrapped at 100 columns.
// tools/prose/phrases.ts has the phrases that are rejected, each with what to write instead.
// An exception needs its reason: // eslint-disable-next-line prose/plain-english -- Helm's own text
import markdown from '@eslint/markdown';
import stylistic from '@stylistic/eslint-plugin';
import tseslint from 'typescript-eslint';
import prose from './tools/prose/plugin.ts';

/** The rules for comments and strings. eslint.config.js has them too, for editors. */
export const typescriptProse = {
  files: ['**/*.ts', '**/*.tsx', '**/*.js'],
  plugins: { prose, '@stylistic': stylistic },
  rules: {
    'prose/plain-english': 'error',
    // only comments are limited: prettier wraps code
    '@stylistic/max-len': ['error', { code: 1000, comments: 100, ignoreUrls: true }],
  },
};

const markdownProse = {
  files: ['**/*.md'],
  plugins: { markdown, prose },
  language: 'markdown/gfm',
  rules: { 'prose/plain-markdown': 'error', 'prose/wrap-markdown': 'error' },
};

// `npm run check:prose` needs no types, so it takes seconds.
export default [
  { ignores: ['dist', 'coverage', 'test/**/fixtures'] },
  {
    files: ['**/*.ts', '**/*.tsx'],
    languageOptions: { parser: tseslint.parser },
    // its rules do not run here, but comments that disable them must find them
    plugins: { '@typescript-eslint': tseslint.plugin },
  },
  typescriptProse,
  markdownProse,
];
