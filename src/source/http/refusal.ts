import type { Readable } from 'node:stream';
import { readUpTo } from '../../async/index.ts';
import { isJsonObject, stringAt } from '../../objects/fields.ts';

const maxRefusalBytes = 16 * 1024;
const mostErrors = 3;
const maxTextLength = 300;

/**
 * Returns why a registry refuses a request, in the words of helm: the codes and messages of its
 * response (distribution specification: error codes). Empty if it does not say it in this form, and
 * in time.
 */
export async function refusalOf(body: Readable, waitMs = 2000): Promise<string> {
  body.on('error', () => undefined); // only reports that it is not read to its end
  const timer = setTimeout(() => body.destroy(), waitMs);
  try {
    const { content, isWhole } = await readUpTo(body, maxRefusalBytes);
    return isWhole ? textOf(JSON.parse(content.toString())) : '';
  } catch {
    return ''; // the status says enough
  } finally {
    clearTimeout(timer);
  }
}

function textOf(response: unknown): string {
  const errors = isJsonObject(response) && Array.isArray(response.errors) ? (response.errors as unknown[]) : [];
  const texts = errors.slice(0, mostErrors).flatMap((error) => {
    const code = stringAt(error, 'code') ?? '';
    // other services have errors of other forms, which are not for everyone
    if (!/^[A-Z][A-Z_]*$/.test(code)) return [];
    const message = stringAt(error, 'message') ?? '';
    const name = code.toLowerCase().replaceAll('_', ' ');
    return [message === '' ? name : `${name}: ${message}`];
  });
  const text = texts.join('; ').replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ');
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength).toWellFormed()}…` : text;
}
