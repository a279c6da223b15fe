import { readdir, readFile } from 'node:fs/promises';
import test from 'ava';
import { errorCodes } from '../../src/protocol/error-codes.ts';

const root = new URL('../../', import.meta.url);

/** Returns the source files, without the list itself. */
async function sources(): Promise<string[]> {
  const names = await readdir(new URL('src/', root), { recursive: true });
  const files = names.filter((name) => name.endsWith('.ts') && name !== 'protocol/error-codes.ts');
  return Promise.all(files.map((name) => readFile(new URL(`src/${name}`, root), 'utf8')));
}

/** Matches the places where layers declare error codes: a class's literal, a union, or a list. */
const declaration = /readonly code = '[a-z_]+'|type \w*ErrorCode =[^;]*;|ErrorCodes = \[[^\]]*\]/g;

test('every code that a layer declares is listed', async (t) => {
  const declarations = (await sources()).flatMap((text) => text.match(declaration) ?? []).join('\n');
  const codes = new Set([...declarations.matchAll(/'([a-z_]+)'/g)].map(([, code]) => code ?? ''));
  t.true(codes.size > 40);
  t.deepEqual(
    [...codes].filter((code) => !Object.hasOwn(errorCodes, code)),
    [],
  );
});

test('every listed code is used by a layer', async (t) => {
  const all = (await sources()).join('\n');
  t.deepEqual(
    Object.keys(errorCodes).filter((code) => !all.includes(`'${code}'`)),
    [],
  );
});
