import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test from 'ava';

const run = promisify(execFile);

/** Verifies a file in a process in which the package openpgp cannot be found. */
const program = `
import { registerHooks } from 'node:module';
registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== 'openpgp') return next(specifier, context);
    throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
  },
});
const { verifyProvenance } = await import(${JSON.stringify(new URL('../../../src/source/verification/verify-provenance.ts', import.meta.url))});
const file = { provenance: Buffer.from('a'), fileName: 'web-1.0.0.tgz', digest: '00', time: 0 };
const keyrings = ['a', 'b'].map((name) => ({ name, keyring: 'AAAA' }));
console.log(JSON.stringify(await verifyProvenance({ ...file, keyrings })));
`;

test('without the package openpgp, a provenance file does not count, and the problem says why', async (t) => {
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program]);
  t.deepEqual(JSON.parse(stdout), { problem: 'the package openpgp is not installed beside the agent' });
});
