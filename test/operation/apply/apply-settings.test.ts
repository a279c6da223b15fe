import test from 'ava';
import {
  type ApplyOptions,
  applySettings,
  checkApplySettings,
  undoSettings,
} from '../../../src/operation/apply/apply-settings.ts';

const methods: [serverSide: ApplyOptions['serverSide'], previous: string | undefined, method: string][] = [
  [undefined, 'ssa', 'ssa'],
  ['auto', 'ssa', 'ssa'],
  ['auto', 'csa', 'csa'],
  ['auto', undefined, 'csa'],
  ['auto', '', 'csa'],
  [true, 'csa', 'ssa'],
  [true, undefined, 'ssa'],
  [false, 'ssa', 'csa'],
];
for (const [serverSide, previous, method] of methods) {
  test(`serverSide ${String(serverSide)} after ${String(previous)} applies by ${method}`, (t) => {
    const options = serverSide === undefined ? {} : { serverSide };
    t.deepEqual(applySettings(options, previous), { method } as never);
  });
}

const refused: [options: ApplyOptions, message: string][] = [
  [
    { serverSide: false, forceConflicts: true },
    'invalid client update option(s): forceConflicts enabled when serverSideApply disabled',
  ],
  [
    { serverSide: true, forceConflicts: true, forceReplace: true },
    'invalid operation: cannot use force conflicts and force replace together',
  ],
  [
    { serverSide: true, forceReplace: true },
    'invalid operation: cannot use server-side apply and force replace together',
  ],
];
for (const [options, message] of refused) {
  test(`refuses ${JSON.stringify(options)} with the message of Helm`, (t) => {
    const settings = applySettings(options, 'ssa');
    t.throws(
      () => {
        checkApplySettings(settings);
      },
      { code: 'bad_payload', message },
    );
  });
}

test('undoing an operation leaves out options that do not fit the method of the older revision', (t) => {
  const force = { forceConflicts: true, forceReplace: true };
  t.deepEqual(undoSettings(force, 'csa'), { method: 'csa', forceReplace: true });
  t.deepEqual(undoSettings(force, 'ssa'), { method: 'ssa', forceConflicts: true });
  for (const previous of ['csa', 'ssa']) {
    t.notThrows(() => {
      checkApplySettings(undoSettings(force, previous));
    });
  }
});
