// Compares with Helm 4.2.4's output, recorded by `npm run record:functions` (see
// fixtures/README.md).
import { Buffer } from 'node:buffer';
import test from 'ava';
import { toBytes } from '../../src/go/text.ts';
import { GoError } from '../../src/go/value.ts';
import { recordedCases } from './recorded-cases.ts';
import { runTemplate } from './template-runner.ts';

for (const recorded of recordedCases()) {
  test(`${recorded.family}: ${recorded.template} gives the same result as Helm`, (t) => {
    if (recorded.error !== undefined) {
      const error = t.throws(() => runTemplate(recorded.template), { instanceOf: GoError });
      t.true(error.message.endsWith(recorded.error), `${error.message}\nshould end with\n${recorded.error}`);
    } else if (recorded.outputBase64 !== undefined) {
      t.is(Buffer.from(toBytes(runTemplate(recorded.template))).toString('base64'), recorded.outputBase64);
    } else {
      t.is(runTemplate(recorded.template).replaceAll('<no value>', ''), recorded.output ?? '');
    }
  });
}
