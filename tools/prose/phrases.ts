/** Where prose is found: in comments and strings of TypeScript, and in Markdown. */
export type Text = 'comment' | 'string' | 'markdown';

const notInStrings = ['comment', 'markdown'] as const;

/** A phrase that plain English replaces. */
export interface Phrase {
  readonly pattern: RegExp;
  readonly instead: string;
  /** Where it is rejected (default: everywhere). Not in strings if Helm or Go write it. */
  readonly only?: readonly Text[];
}

/** The phrases that the check rejects, each with what to write instead. */
export const phrases: readonly Phrase[] = [
  {
    pattern: /\b(?:is|are|was|were|be|been|being|gets?) told\b|\btold of\b/i,
    instead: 'is notified / receives / uses',
  },
  { pattern: /\b(?:hears?|heard)\b/i, instead: 'receives' },
  { pattern: /\bstands? in\b/i, instead: 'is in / replaces' },
  { pattern: /\bstands? for\b/i, instead: 'means / represents', only: notInStrings },
  { pattern: /\bwhere there (?:is|are) (?:none|no)\b/i, instead: 'if there is none / if there is no ...' },
  { pattern: /\bwhere absent\b|^absent: /i, instead: '(default: ...)' },
  { pattern: /(?<!\bthere )\b(?:is|are) no\b(?! (?:longer|more|less|one)\b)/i, instead: 'is not', only: notInStrings },
  { pattern: /\banswers\b/i, instead: 'returns / responds / responses' },
  { pattern: /^what\b(?![^.]*\?)/i, instead: 'a verb or a noun phrase first', only: ['comment'] },
  { pattern: /\b(?:afresh|anew)\b/i, instead: 'again' },
  { pattern: /\b(?:some|any)body\b/i, instead: 'someone / another client' },
  { pattern: /\bnobody\b/i, instead: 'no one / nothing' },
  { pattern: /\bwhoever\b/i, instead: 'the caller / anyone who' },
  { pattern: /\bt(?:ake|akes|aken|aking|ook) (?:\w+ ){0,3}apart\b/i, instead: 'splits / parses' },
  { pattern: /\bh(?:old|olds|eld|olding) (?:\w+ ){0,3}against\b/i, instead: 'validates / compares' },
  { pattern: /\bhand(?:s|ed)? in\b/i, instead: 'passes / passed' },
  { pattern: /\bso many\b/i, instead: 'the number' },
  { pattern: /\bother than helm\b/i, instead: 'unlike Helm' },
  { pattern: /\bgo(?:es)? on\b/i, instead: 'continues' },
  { pattern: /\blets? (?:\w+ )?pass\b/i, instead: 'accepts' },
  { pattern: /\bcomes? of it\b/i, instead: 'result / progress' },
  { pattern: /\bto be had\b/i, instead: 'available' },
  { pattern: /, for (?:it|they|there)\b/i, instead: 'because', only: notInStrings },
];
