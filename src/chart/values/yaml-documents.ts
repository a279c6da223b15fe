import { trimSpace } from '../../go/space.ts';
import { YamlError } from '../../yaml/yaml-error.ts';

/**
 * Cuts a text at lines that begin with `---`, behind which only a comment may stand. Every line ends with a line feed afterwards, the last one too
 * (k8s.io/apimachinery/pkg/util/yaml/decoder.go: YAMLReader). Throws {@link YamlError} behind the documents before what is wrong.
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
