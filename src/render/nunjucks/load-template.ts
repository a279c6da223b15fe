import type { Node } from './node.ts';
import { kindText, valueOf } from './operand.ts';
import { failAt, type Place } from './place.ts';
import type { CompiledTemplate, Scope } from './scope.ts';
import { placeOf, type Unit } from './unit.ts';

/** The template that a tag names, and where the name stands. */
export type Load = (scope: Scope) => { template: CompiledTemplate; place: Place };

/** What a tag such as `import` names; an error where the chart has no such template. */
export function compileLoad(unit: Unit, node: Node): Load {
  const find = compileFind(unit, node);
  return (scope) => {
    const { name, template, place } = find(scope);
    return template === undefined ? failMissing(name, place) : { template, place };
  };
}

/** As {@link compileLoad}, without a template where there is none. */
export function compileFind(
  unit: Unit,
  node: Node,
): (scope: Scope) => { name: string; template: CompiledTemplate | undefined; place: Place } {
  const place = placeOf(unit, node);
  const expression = unit.expression(node);
  return (scope) => {
    const name = valueOf(expression(scope), place);
    if (typeof name !== 'string') return failAt(place, `the name of a template must be a text, not ${kindText(name)}`);
    return { name, template: scope.page.load(name, place), place };
  };
}

export function failMissing(name: string, place: Place): never {
  return failAt(place, `the chart has no template ${name}`);
}
