import { readFile } from 'node:fs/promises';
import test from 'ava';
import { commandTypes } from '../../src/protocol/commands/index.ts';
import { apiDocument } from '../../tools/openapi.ts';
import { packetSchema } from '../../tools/packet-schema.ts';
import { documents, renewTables } from '../../tools/protocol-tables.ts';

const root = new URL('../../', import.meta.url);
const advice = 'run npm run protocol';

test('schema/packets.schema.json is current', async (t) => {
  const committed: unknown = JSON.parse(await readFile(new URL('schema/packets.schema.json', root), 'utf8'));
  t.deepEqual(committed, JSON.parse(JSON.stringify(packetSchema())), advice);
});

test('schema/openapi.json is current', async (t) => {
  const committed: unknown = JSON.parse(await readFile(new URL('schema/openapi.json', root), 'utf8'));
  t.deepEqual(committed, JSON.parse(JSON.stringify(apiDocument())), advice);
});

test('the tables of the documentation are current and complete', async (t) => {
  const texts = await Promise.all(documents.map((document) => readFile(document, 'utf8')));
  for (const text of texts) t.is(renewTables(text), text, advice);
  const tables = [...texts.join('\n').matchAll(/^<!-- table: (\w+) -->$/gm)].map(([, name]) => name);
  t.deepEqual(tables, ['errors', 'commands', ...commandTypes, 'problems']);
});

test('every field of a command has a description', (t) => {
  const { $defs } = packetSchema() as { $defs: Record<string, { properties?: Record<string, object> }> };
  for (const type of commandTypes) {
    for (const [name, field] of Object.entries($defs[`${type}.payload`]?.properties ?? {})) {
      t.true('description' in field, `${type}.${name}`);
    }
  }
});
