import test from 'ava';
import { parseReference } from '../../../src/source/oci/reference.ts';

const reads = test.macro<[repository: string, isValid: boolean]>({
  title: (_, repository, isValid) => `${repository} ${isValid ? 'may' : 'may not'} be a repository`,
  exec(t, repository, isValid) {
    const read = () => parseReference(`oci://registry.example.com/${repository}:1.0.0`);
    if (isValid) t.is(read().repository, repository);
    else t.throws(read, { code: 'invalid_repository_url' });
  },
});

for (const name of ['web', 'team/web', 'team/a.b/c_d/e__f/g--h', '1/2']) test(reads, name, true);
for (const name of ['team/../web', 'team/./web', 'team//web', 'a..b', 'a/-b', 'a-/b', 'a___b'])
  test(reads, name, false);
