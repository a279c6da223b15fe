import { lookup as resolve } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { SourceError } from '../source-error.ts';
import type { DeniedAddresses } from './denied-addresses.ts';

/**
 * Returns a dispatcher that connects to no denied address. The addresses of a host are checked when
 * it connects, so a name that resolves to another address later is checked again.
 */
export function guardedDispatcher(denied: DeniedAddresses): Dispatcher {
  const connect = buildConnector({ lookup: guardedLookup(denied) });
  return new Agent({
    connect(options, callback) {
      const { hostname } = options;
      // an address is not looked up
      const address = hostname.replace(/^\[(.*)\]$/s, '$1');
      if (isIP(address) !== 0 && denied.has(address)) callback(addressDenied(hostname), null);
      else connect(options, callback);
    },
  });
}

function guardedLookup(denied: DeniedAddresses): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) {
        callback(error, '');
        return;
      }
      const allowed = addresses.filter(({ address }) => !denied.has(address));
      const [first] = allowed;
      if (first === undefined) callback(addressDenied(hostname), '');
      else if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

function addressDenied(hostname: string): SourceError {
  return new SourceError(
    'address_denied',
    `${hostname} has an address that this agent must not connect to; see --deny-addresses`,
  );
}
