// Helm's texts of template errors. Helm parses Go's error texts, so these rules work on text too
// (pkg/engine/engine.go: cleanupParseError, reformatExecErrorMsg).

const failureStart = 'HELM_ERR_START';
const failureEnd = 'HELM_ERR_END';

/**
 * Marks the message of `fail` and `required`, so that {@link executionErrorText} finds it in a
 * chain of errors.
 */
export function markFailure(message: string): string {
  return `${failureStart}${message}${failureEnd}`;
}

/**
 * Returns Helm's text for a template that cannot be parsed: the position, and the part of Go's text
 * after the last `: `.
 */
export function parseErrorText(file: string, message: string): string {
  const tokens = message.split(': ');
  const [, location] = tokens;
  if (location === undefined) return `parse error in (${file}): ${message}`;
  return `parse error at (${location}): ${tokens.at(-1) ?? ''}`;
}

/**
 * Returns Helm's text for a template that fails. If all texts of the chain are template errors,
 * each position gets its own lines; otherwise Go's text is returned unchanged.
 * @param chain texts of the error and its causes, outermost first
 */
export function executionErrorText(file: string, chain: readonly string[]): string {
  const [message = ''] = chain;
  const first = message.indexOf(': ');
  const second = message.indexOf(': ', first + 2);
  if (first === -1 || second === -1) return `execution error in (${file}): ${message}`;

  const failure = markedFailure(message.slice(second + 2));
  if (failure !== undefined) return `execution error at (${message.slice(first + 2, second)}): ${failure}`;

  const places: string[] = [];
  for (const text of chain) {
    const place = placeText(text);
    if (place === undefined) return message;
    if (place !== places.at(-1)) places.push(place);
  }
  return places.join('').trim();
}

function markedFailure(text: string): string | undefined {
  const start = text.indexOf(failureStart);
  const end = text.lastIndexOf(failureEnd);
  return start === -1 || end < start + failureStart.length ? undefined : text.slice(start + failureStart.length, end);
}

/** Returns the lines that Helm prints for one template error; undefined if the text is not one. */
function placeText(text: string): string | undefined {
  const prefix = 'template: ';
  if (!text.startsWith(prefix)) return undefined;
  const rest = text.slice(prefix.length);
  if (rest.startsWith('no template ')) return `${text}\n`;

  const executing = /^(.*?): executing "([^"]*)" at <(.*)$/s.exec(rest);
  const [, location = '', name = '', after = ''] = executing ?? [];
  const end = after.indexOf('>: ');
  if (executing && end !== -1) {
    const [context, message] = [after.slice(0, end), after.slice(end + 3)];
    return `${location}\n  executing "${name}" at <${context}>:\n    ${line(withoutNested(message))}`;
  }
  const separator = rest.lastIndexOf(': ');
  if (separator === -1) return undefined;
  return `${rest.slice(0, separator)}\n  ${line(withoutNested(rest.slice(separator + 2)))}`;
}

function line(text: string): string {
  return text === '' ? '' : `${text}\n`;
}

function withoutNested(message: string): string {
  const nested = message.indexOf(' template:');
  return nested === -1 ? message : message.slice(0, nested);
}
