import type { GoFunction, Value } from '../../go/value.ts';
import type { EngineRun } from '../engine.ts';
import { lookupHost, lookupId, lookupValue } from '../scope/lookup-table.ts';
import { goCallable } from './go-callable.ts';
import { Callable, Undefined, valueOf, type Call } from './operand.ts';
import { failAt } from './position.ts';

/** Returns the functions that need the state of a render, such as `lookup`. */
export function renderFunctions(run: EngineRun): Map<string, Callable> {
  return new Map([
    ['required', new Callable('required', (call) => required(call, run))],
    ['fail', new Callable('fail', (call) => fail(call, run))],
    ['lookup', goCallable('lookup', lookup(run))],
    ['getHostByName', goCallable('getHostByName', hostLookup(run))],
  ]);
}

/** Implements `required(message, value)`. Fails if the value is missing, null or an empty text. */
function required({ args, position }: Call, { lint = false, notice }: EngineRun): Value {
  const [message, operand] = args;
  if (message === undefined || operand === undefined) return failAt(position, 'required takes a message and a value');
  const value = operand instanceof Undefined ? null : valueOf(operand, position);
  if (value !== null && value !== '') return value;
  const text = messageOf(valueOf(message, position));
  if (!lint) return failAt(position, text);
  const what = value === null ? 'missing required value' : 'missing required values';
  notice?.({ level: 'WARN', message: what, attributes: { message: text } });
  return '';
}

function fail({ args, position }: Call, { lint = false, notice }: EngineRun): Value {
  const [message = ''] = args;
  const text = messageOf(valueOf(message, position));
  if (!lint) return failAt(position, text);
  notice?.({ level: 'INFO', message: 'funcMap fail', attributes: { message: text } });
  return '';
}

function messageOf(value: Value): string {
  return typeof value === 'string' ? value : 'the message of a failure must be a text';
}

/**
 * Implements `lookup(apiVersion, kind, namespace, name)`. Returns an empty map if there is no
 * object or no cluster.
 */
function lookup({ lookups, lint = false }: EngineRun): GoFunction {
  return {
    params: ['string', 'string', 'string', 'string'],
    call: (apiVersion: string, kind: string, namespace: string, name: string): Value => {
      const key = { apiVersion, kind, namespace, name };
      if (lookups === undefined || lint) return new Map<string, Value>();
      const answer = lookups.results.get(lookupId(key));
      if (answer !== undefined) return lookupValue(answer);
      lookups.missing.push(key);
      return new Map<string, Value>();
    },
  };
}

function hostLookup({ lookups, lint = false }: EngineRun): GoFunction {
  return { params: ['string'], call: (name: string) => lookupHost(lint ? undefined : lookups, name) };
}
