import test from 'ava';
import { parseVersion } from '../../src/go/semver.ts';
import { selectVersion } from '../../src/source/select-version.ts';
import type { SourceErrorCode } from '../../src/source/source-error.ts';

const refuses = test.macro((t, versions: string[], wanted: string, code: SourceErrorCode, message: string) => {
  const entries = versions.map((version) => ({ version, parts: parseVersion(version) }));
  t.throws(() => selectVersion('web', entries, wanted), { name: 'SourceError', code, message });
});

test(
  'names the newest versions in the error if none satisfies the range',
  refuses,
  ['1.0.0', '1.10.0', '1.2.0', '1.3.0', '1.4.0', '1.5.0', '1.6.0'],
  '>=2',
  'version_not_found',
  'the chart "web" has no version that satisfies ">=2"; it has 1.10.0, 1.6.0, 1.5.0, 1.4.0, 1.3.0 and 2 older ones',
);
test(
  'explains how to select a pre-release if there are only pre-releases',
  refuses,
  ['1.0.0-rc.1'],
  '',
  'version_not_found',
  'the chart "web" has no stable version; it has 1.0.0-rc.1 (only a range with a pre-release, such as ">0.0.0-0", includes pre-releases)',
);
test(
  'reports a chart without any valid version',
  refuses,
  [],
  '1.0.0',
  'version_not_found',
  'the chart "web" has no version that satisfies "1.0.0"; it has no valid version at all',
);
test(
  'refuses a text that is neither a version nor a range',
  refuses,
  ['1.0.0'],
  'latest',
  'invalid_version',
  'the chart version "latest" is neither a version nor a range such as ">=1.2.0 <2.0.0": improper constraint: "latest"',
);
