import { needsQuotes } from './resolve.ts';

/** How a scalar is written. */
export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal';

const simple = /^[a-zA-Z/_$][\w$./-]*(?: [\w$./-]+)*$/;
const lineBreak = /[\n\r\x85\u2028\u2029]/;
// go-yaml's writer counts no character beyond the basic plane as printable
const unprintable = /[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;
const unprintableButTab = /[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;
const startIndicator = /^(?:[#,[\]{}&*!|>'"%@`]|[?:-](?:[ \t]|$)|---|\.\.\.)/;
const innerIndicator = /.:(?:[ \t]|$)|[ \t\n\r\x85\u2028\u2029\0]#/su;
const outerSpace = /^[ \n\r\x85\u2028\u2029]|[ \n\r\x85\u2028\u2029]$/;
const breakThenSpace = /[\n\r\x85\u2028\u2029] /;
const spaceThenBreak = / [\n\r\x85\u2028\u2029]/;

/** Whether a text holds a line break in YAML 1.1's sense. */
export function isMultiline(text: string): boolean {
  return lineBreak.test(text);
}

/** Chooses the style as go-yaml does. `tabsInLiterals`: version 3 keeps a literal block for text with tabs. */
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
