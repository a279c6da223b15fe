import { customFlag, type Flag } from '../../pflag/flag.ts';

export const outputFormats = ['table', 'json', 'yaml'] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** Helm's flag for the format of the output (pkg/cmd/flags.go: bindOutputFlag). */
export const outputFlag: Flag = customFlag('format', 'output', `format of the output: ${outputFormats.join(', ')}`, {
  shorthand: 'o',
  initial: 'table',
  check: requireFormat,
});

function requireFormat(text: string): OutputFormat {
  const format = outputFormats.find((name) => name === text);
  if (format === undefined) throw new Error('invalid format type');
  return format;
}
