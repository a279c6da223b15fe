import { ValuesError } from '../../chart/values/values-error.ts';
import { RenderError } from '../render-error.ts';
import type { Lookup } from '../render-input.ts';
import { plainObjectOf } from './plain-data.ts';

/** Returns the lookup of the application that rejects with RenderError for what is not data. */
export function givenLookup(lookup: Lookup): Lookup {
  return async (...key) => {
    const found: unknown = await lookup(...key);
    try {
      return plainObjectOf(found ?? {}, 'object');
    } catch (error) {
      if (!(error instanceof ValuesError)) throw error;
      const call = ['lookup', ...key.map((text) => JSON.stringify(text))].join(' ');
      throw new RenderError('render_failed', `${call}: ${error.message}`, { cause: error });
    }
  };
}
