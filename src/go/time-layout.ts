/**
 * Elements of a layout, as they are written in it: `January`, `_2`, `-07:00`. Fractions of a second
 * are not included.
 */
export type LayoutElement = (typeof elements)[number];

/**
 * The first element of a layout, with the literal text before it. Without an element, `prefix` is
 * the whole layout.
 */
export interface LayoutChunk {
  readonly prefix: string;
  readonly element?: LayoutElement | 'fraction';
  /** The element as written in the layout. */
  readonly text: string;
  readonly rest: string;
}

// Longer elements come before their prefixes.
const elements = [
  'January',
  'Jan',
  'Monday',
  'Mon',
  'MST',
  '01',
  '02',
  '03',
  '04',
  '05',
  '06',
  '002',
  '15',
  '1',
  '2006',
  '2',
  '_2',
  '__2',
  '3',
  '4',
  '5',
  'PM',
  'pm',
  '-070000',
  '-07:00:00',
  '-0700',
  '-07:00',
  '-07',
  'Z070000',
  'Z07:00:00',
  'Z0700',
  'Z07:00',
  'Z07',
] as const;

const pattern =
  /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|0[1-6]|002|15|1|2006|2|_2(?!006)|__2|3|4|5|PM|pm|-070000|-07:00:00|-0700|-07:00|-07|Z070000|Z07:00:00|Z0700|Z07:00|Z07|[.,](?:0+|9+)(?![0-9])/;

/** Splits the first element off a layout of package time. */
export function nextChunk(layout: string): LayoutChunk {
  const match = pattern.exec(layout);
  if (match === null) return { prefix: layout, text: '', rest: '' };
  const [text] = match;
  const prefix = layout.slice(0, match.index);
  const rest = layout.slice(match.index + text.length);
  const element = elements.find((candidate) => candidate === text) ?? 'fraction';
  return { prefix, element, text, rest };
}
