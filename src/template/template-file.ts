import { byteLength } from '../go/text.ts';

/** A text to parse templates from. All templates that it defines share it. */
export interface TemplateFile {
  /** Name under which the text is parsed: the path of the file in a chart. */
  readonly name: string;
  readonly text: string;
}

/** A position in a template. */
export interface Position {
  readonly name: string;
  /** From 1. */
  readonly line: number;
  /** In bytes, from 0. */
  readonly column: number;
}

/** Returns the line of an offset in a text, from 1. */
export function lineOf(text: string, pos: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < pos; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** Returns the position of an offset as Go counts it. */
export function positionOf(file: TemplateFile, pos: number): Position {
  const lineStart = file.text.lastIndexOf('\n', pos - 1) + 1;
  const column = byteLength(file.text.slice(pos === 0 ? 0 : lineStart, pos));
  return { name: file.name, line: lineOf(file.text, pos), column };
}
