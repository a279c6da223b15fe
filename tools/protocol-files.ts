// Writes the files that derive from the protocol's schemas: `npm run protocol`.
import { readFile, writeFile } from 'node:fs/promises';
import { format } from 'prettier';
import { packetSchema } from './packet-schema.ts';
import { documents, renewTables } from './protocol-tables.ts';

const schemaFile = new URL('../schema/packets.schema.json', import.meta.url);

await writeFile(schemaFile, await format(JSON.stringify(packetSchema()), { parser: 'json', printWidth: 120 }));
for (const document of documents) await writeFile(document, renewTables(await readFile(document, 'utf8')));
