import { redacted, secretMatcher } from './secret-matcher.ts';

/** Secrets that have a form of their own: tokens in headers, JSON web tokens, passwords in URLs. */
const forms: readonly [pattern: RegExp, replacement: string][] = [
  [/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${redacted}`],
  [/(?<![\w-])(?=[\w-]*\.[\w-]{8,}\.)([\w-]*?)eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, `$1${redacted}`],
  // the host begins after the last @
  [/(\w:\/\/[^\s/:"]*:)[^\s/@]+@(?:[^\s/?#"@]*@)*/g, `$1${redacted}@`],
];

/** Replaces secrets, and what looks like one, in texts. */
export function redactTexts(texts: readonly string[], secrets: readonly string[]): string[] {
  return texts.map(textRedaction(secrets));
}

/** Returns a function that replaces secrets, and what looks like one, in a text. */
export function textRedaction(secrets: readonly string[]): (text: string) => string {
  const withoutSecrets = secretMatcher(secrets);
  return (text) =>
    forms.reduce((rest, [pattern, replacement]) => rest.replaceAll(pattern, replacement), withoutSecrets(text));
}
