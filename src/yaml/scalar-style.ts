import { needsQuotes } from './resolve.ts';

/** Style of a written scalar. */
export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal';

const simple = /^[a-zA-Z/_$][\w$./-]*(?: [\w$./-]+)*$/;
const lineBreak = /[\n\r\x85\u2028\u2029]/;
// go-yaml's writer treats all characters beyond the basic plane as unprintable
const unprintable = /[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;
const unprintableButTab = /[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;
const startIndicator = /^(?:[#,[\]{}&*!|>'"%@`]|[?:-](?:[ \t]|$)|---|\.\.\.)/;
const innerIndicator = /.:(?:[ \t]|$)|[ \t\n\r\x85\u2028\u2029\0]#/su;
const outerSpace = /^[ \n\r\x85\u2028\u2029]|[ \n\r\x85\u2028\u2029]$/;
const breakThenSpace = /[\n\r\x85\u2028\u2029] /;
const spaceThenBreak = / [\n\r\x85\u2028\u2029]/;

/** Whether a text contains a YAML 1.1 line break. */
export function isMultiline(text: string): boolean {
  return lineBreak.test(text);
}

/**
 * Chooses the style as go-yaml does.
 * @param tabsInLiterals Whether text with tabs may be a literal block, as in version 3.
 */
export function chooseStyle(text: string, tabsInLiterals: boolean): ScalarStyle {
  if (simple.test(text) && !needsQuotes(text)) return 'plain';
  if (text.includes('\n')) return literalAllowed(text, tabsInLiterals) ? 'literal' : 'double';
  if (needsQuotes(text)) return 'double';
  if (plainAllowed(text)) return 'plain';
  return singleAllowed(text) ? 'single' : 'double';
}

function plainAllowed(text: string): boolean {
  return (
    !lineBreak.test(text) &&
    !outerSpace.test(text) &&
    !unprintable.test(text) &&
    !startIndicator.test(text) &&
    !innerIndicator.test(text)
  );
}

function singleAllowed(text: string): boolean {
  return !unprintable.test(text) && !breakThenSpace.test(text) && !spaceThenBreak.test(text);
}

function literalAllowed(text: string, tabsInLiterals: boolean): boolean {
  return (
    !text.endsWith(' ') && !spaceThenBreak.test(text) && !(tabsInLiterals ? unprintableButTab : unprintable).test(text)
  );
}
