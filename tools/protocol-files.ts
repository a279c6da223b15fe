// Writes the files that derive from the protocol and from the routes: `npm run protocol`.
import { readFile, writeFile } from 'node:fs/promises';
import { format } from 'prettier';
import { apiDocument } from './openapi.ts';
import { packetSchema } from './packet-schema.ts';
import { documents, renewTables } from './protocol-tables.ts';

const schemas = { 'packets.schema.json': packetSchema(), 'openapi.json': apiDocument() };

for (const [name, schema] of Object.entries(schemas)) {
  const text = await format(JSON.stringify(schema), { parser: 'json', printWidth: 120 });
  await writeFile(new URL(`../schema/${name}`, import.meta.url), text);
}
for (const document of documents) await writeFile(document, renewTables(await readFile(document, 'utf8')));
