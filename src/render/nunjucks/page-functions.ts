import { RenderError } from '../render-error.ts';
import { compileTemplate } from './compile/template.ts';
import { frameIn } from './frame.ts';
import { failMissing } from './load-template.ts';
import { Callable, kindText, valueOf, type Call } from './operand.ts';
import { failAt, type Position } from './position.ts';
import { newState, runTemplate } from './run-template.ts';
import type { CompiledTemplate, Page } from './scope.ts';

/**
 * Returns the functions that run templates: `include(name)` and `tpl(text)`. These templates see
 * the chart's globals, not the variables of the caller.
 */
export function pageFunctions(page: () => Page): Map<string, Callable> {
  return new Map([
    ['include', new Callable('include', (call) => include(call, page()))],
    ['tpl', new Callable('tpl', (call) => tpl(call, page()))],
  ]);
}

function include(call: Call, page: Page): string {
  const name = onlyText('include', call);
  return run(page.load(name, call.position) ?? failMissing(name, call.position), page, call.position);
}

function tpl(call: Call, page: Page): string {
  const text = onlyText('tpl', call);
  try {
    return run(compileTemplate('tpl', text), page, call.position);
  } catch (error) {
    if (!(error instanceof RenderError) || error.position?.file !== 'tpl') throw error;
    return failAt(call.position, `error calling tpl: ${error.message}`, error, error.code);
  }
}

function run(template: CompiledTemplate, page: Page, position: Position): string {
  return runTemplate(
    template,
    { page, state: newState(template), frame: frameIn(undefined, { topLevel: true }) },
    position,
  );
}

function onlyText(name: string, { args, named, position }: Call): string {
  const [text] = args;
  if (text === undefined || args.length > 1 || named.size > 0) return failAt(position, `${name} takes one argument`);
  const value = valueOf(text, position);
  return typeof value === 'string' ? value : failAt(position, `${name} takes a text, not ${kindText(value)}`);
}
