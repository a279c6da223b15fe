import fc from 'fast-check';

// Each run checks the same inputs, so that a test fails only if something has changed.
// `FAST_CHECK_SEED` chooses other inputs.
fc.configureGlobal({ seed: Number(process.env['FAST_CHECK_SEED'] ?? 1) });

export default fc;
