import * as z from 'zod';
import { objectName } from '../../../src/protocol/bounded.ts';
import type { Field } from '../../../src/protocol/commands/field.ts';
import { commandTable, type CommandType, commandTypes } from '../../../src/protocol/commands/index.ts';
import { examplePayloads } from './examples.ts';

/** Texts that Kubernetes does not allow as names, some with a meaning in paths and queries. */
const badNames = ['../../secrets/keys', '..', 'a%2Fb', 'web?watch=1#', 'web\u001b[2J', 'web\n', '-'];

/** Whether a field has the name of an object, or a kind. */
function isName({ schema }: Field): boolean {
  const inner = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? schema.unwrap() : schema;
  return (
    inner instanceof z.ZodString && inner.maxLength === objectName.maxLength && !(inner instanceof z.ZodStringFormat)
  );
}

/** Returns an example without other names than those that the command needs. */
function payloadFor(type: CommandType, example: object, name: string, namespace: string): object {
  const fields: Record<string, Field> = commandTable.definitions[type].fields;
  const kept = Object.entries(example).filter(([other]) => {
    const field = fields[other];
    return (
      field !== undefined && (!isName(field) || other === 'namespace' || !field.schema.safeParse(undefined).success)
    );
  });
  return {
    ...Object.fromEntries(kept),
    ...('chartName' in example && { chartName: 'app' }),
    ...('namespace' in fields && name !== 'namespace' && { namespace }),
  };
}

/** Fields whose texts only select, so that any is allowed, and selects nothing. */
const filters: ReadonlySet<string> = new Set(['list_events.name']);

/** Codes that say that the sender is wrong. */
export const refusals: ReadonlySet<string> = new Set([
  ...['bad_payload', 'bad_request', 'invalid_name', 'invalid_namespace', 'invalid_release_name'],
  ...['not_found', 'deployment_not_found', 'unknown_kind', 'unsupported'],
]);

/** A command with one name that cannot be that of an object. */
export interface BadlyNamed {
  type: CommandType;
  payload: Readonly<Record<string, unknown>>;
  /** The name. */
  value: string;
  /** For messages: `get_object, name ".."`. */
  text: string;
}

/** Returns every command with each of its names as texts that cannot be names. */
export async function badlyNamedCommands(namespace: string): Promise<BadlyNamed[]> {
  const examples = await examplePayloads();
  return commandTypes.flatMap((type) => {
    const fields: Record<string, Field> = commandTable.definitions[type].fields;
    const names = Object.keys(fields).filter((name) => {
      const field = fields[name];
      return field !== undefined && isName(field) && !filters.has(`${type}.${name}`);
    });
    return names.flatMap((name) => {
      const payload = payloadFor(type, examples.get(type) ?? {}, name, namespace);
      return badNames.map((value) => {
        return {
          type,
          value,
          payload: { ...payload, [name]: value },
          text: `${type}, ${name} ${JSON.stringify(value)}`,
        };
      });
    });
  });
}
