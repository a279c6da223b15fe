import { trimSpace } from '../../go/space.ts';
import { YamlError } from '../../yaml/yaml-error.ts';

/**
 * Splits a text at lines that start with `---`, which only a comment may follow. Every line of the
 * result ends with a line feed (k8s.io/apimachinery/pkg/util/yaml/decoder.go: YAMLReader). Throws
 * {@link YamlError} after the documents before the error.
 */
export function* splitYamlDocuments(text: string): Generator<string, void> {
  if (text === '') return;
  if (!/^---|\r/m.test(text)) {
    yield text.endsWith('\n') ? text : `${text}\n`;
    return;
  }
  let lines = '';
  for (const line of text.replace(/\n$/, '').split('\n')) {
    if (line.startsWith('---')) {
      const rest = trimSpace(line.slice(3));
      if (rest !== '' && !rest.startsWith('#')) {
        throw new YamlError(`invalid Yaml document separator: ${rest}`);
      }
      if (lines !== '') {
        yield lines;
        lines = '';
        continue;
      }
    }
    lines += `${line.replace(/\r$/, '')}\n`;
  }
  if (lines !== '') yield lines;
}
