import { LimitError } from '../../go/limit-error.ts';
import { quote } from '../../go/strconv.ts';
import { GoError, type Value } from '../../go/value.ts';
import type { Execution } from '../../template/execute/execution.ts';
import type { BoundCalls, BoundFunction } from '../../template/function.ts';
import { TemplateParseError } from '../../template/template-error.ts';
import type { RenderNotice } from '../notice.ts';
import { lookupHost, lookupId, type LookupKey, type LookupTable, lookupValue } from '../scope/lookup-table.ts';
import { markFailure } from './error-text.ts';

/** Name of a text that `tpl` runs, in errors. */
export const textName = 'gotpl';

/**
 * Text that Go prints for a missing value. Helm removes it from the output of templates and `tpl`.
 */
const noValue = '<no value>';

/**
 * Helm's functions that need the state of a render. Templates are compiled with these parameters.
 */
export const boundFunctions: ReadonlyMap<string, BoundFunction> = new Map(
  Object.entries({
    include: { params: ['string', 'interface {}'] },
    tpl: { params: ['string', 'interface {}'] },
    required: { params: ['string', 'interface {}'] },
    fail: { params: ['string'] },
    lookup: { params: ['string', 'string', 'string', 'string'] },
    getHostByName: { params: ['string'] },
  }),
);

export interface BoundOptions {
  /** Default: lookups find nothing. */
  lookups: LookupTable | undefined;
  /** If true, `required` and `fail` log a notice instead of failing. */
  lint: boolean;
  notice: (notice: RenderNotice) => void;
  /** Depth to which a template may include itself. */
  includeDepth: number;
}

/**
 * Returns the implementations of {@link boundFunctions} for one render.
 * @param execution returns the execution that calls them
 */
export function boundCalls(execution: () => Execution, options: BoundOptions): BoundCalls {
  const { lookups, lint, notice, includeDepth } = options;
  return {
    include: includeCall(execution, includeDepth),
    tpl: (text: string, data: Value) => tpl(execution(), text, data),
    required: (message: string, value: Value) => {
      if (value !== null && value !== '') return value;
      if (!lint) throw new GoError(markFailure(message));
      const what = value === null ? 'missing required value' : 'missing required values';
      notice({ level: 'WARN', message: what, attributes: { message } });
      return '';
    },
    fail: (message: string) => {
      if (!lint) throw new GoError(markFailure(message));
      notice({ level: 'INFO', message: 'funcMap fail', attributes: { message } });
      return '';
    },
    lookup: (apiVersion: string, kind: string, namespace: string, name: string) =>
      lookups === undefined || lint
        ? new Map<string, Value>()
        : findObject(lookups, { apiVersion, kind, namespace, name }),
    getHostByName: (name: string) => lookupHost(lint ? undefined : lookups, name),
  };
}

/** Removes the text that Go prints for missing values. */
export function withoutNoValue(text: string): string {
  return text.includes(noValue) ? text.replaceAll(noValue, '') : text;
}

function includeCall(execution: () => Execution, maxDepth: number): (name: string, data: Value) => Value {
  const nested = new Map<string, number>();
  return (name, data) => {
    const depth = nested.get(name) ?? 0;
    if (depth > maxDepth) {
      throw new LimitError(`rendering template has a nested reference name: ${name}: unable to execute template`);
    }
    nested.set(name, depth + 1);
    try {
      return execution().execute(name, data);
    } finally {
      nested.set(name, depth);
    }
  };
}

function tpl(execution: Execution, text: string, data: Value): string {
  try {
    return withoutNoValue(execution.executeText({ name: textName, text }, data));
  } catch (error) {
    if (error instanceof TemplateParseError) throw wrapped(`cannot parse template ${quote(text)}`, error);
    if (error instanceof GoError) throw wrapped(`error during tpl function execution for ${quote(text)}`, error);
    throw error;
  }
}

function wrapped(what: string, error: GoError): GoError {
  return new GoError(`${what}: ${error.message}`, { cause: error });
}

function findObject(lookups: LookupTable, key: LookupKey): Value {
  const object = lookups.results.get(lookupId(key));
  if (object !== undefined) return lookupValue(object);
  lookups.missing.push(key);
  return new Map<string, Value>();
}
