import { RenderError } from '../render-error.ts';
import { compileTemplate } from './compile/template.ts';
import { frameIn } from './frame.ts';
import { failMissing } from './load-template.ts';
import { Callable, kindText, valueOf, type Call } from './operand.ts';
import { failAt, type Place } from './place.ts';
import { contextOf, runTemplate } from './run-template.ts';
import type { CompiledTemplate, Page } from './scope.ts';

/** The functions that run templates: `include(name)` and `tpl(text)`. What they run sees the chart, not the variables of the caller. */
export function pageFunctions(page: () => Page): Map<string, Callable> {
  return new Map([
    ['include', new Callable('include', (call) => include(call, page()))],
    ['tpl', new Callable('tpl', (call) => tpl(call, page()))],
  ]);
}

function include(call: Call, page: Page): string {
  const name = onlyText('include', call);
  return run(page.load(name, call.place) ?? failMissing(name, call.place), page, call.place);
}

function tpl(call: Call, page: Page): string {
  const text = onlyText('tpl', call);
  try {
    return run(compileTemplate('tpl', text), page, call.place);
  } catch (error) {
    if (!(error instanceof RenderError) || error.position?.file !== 'tpl') throw error;
    return failAt(call.place, `error calling tpl: ${error.message}`, error, error.code);
  }
}

function run(template: CompiledTemplate, page: Page, place: Place): string {
  return runTemplate(
    template,
    { page, context: contextOf(template), frame: frameIn(undefined, { topLevel: true }) },
    place,
  );
}

function onlyText(name: string, { args, named, place }: Call): string {
  const [text] = args;
  if (text === undefined || args.length > 1 || named.size > 0) return failAt(place, `${name} takes one argument`);
  const value = valueOf(text, place);
  return typeof value === 'string' ? value : failAt(place, `${name} takes a text, not ${kindText(value)}`);
}
