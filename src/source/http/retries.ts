import { type Dispatcher, interceptors, type RetryHandler } from 'undici';

/** Connections that break off. */
const brokenConnections = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'];

/**
 * Repeats downloads from servers that are busy, and after connections that break off. Waits 0.5, 1,
 * 2 and 4 s.
 */
export function downloadRetries(): Dispatcher.DispatcherComposeInterceptor {
  return interceptors.retry({
    maxRetries: 4,
    minTimeout: 500,
    maxTimeout: 4000,
    timeoutFactor: 2,
    methods: ['GET'],
    statusCodes: [429, 500, 502, 503, 504],
    errorCodes: brokenConnections,
    throwOnError: false, // the last response is the result
  });
}

/** Randomness and timers. */
export interface RetryClock {
  /** Returns a number from 0 up to 1. */
  readonly random: () => number;
  /** Calls a function later. Default: `setTimeout`. */
  readonly wait?: (call: () => void, milliseconds: number) => unknown;
}

const mostRetries = 5;
const slowConnections = ['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT'];
const maxRefusalBytes = 1024 * 1024;

/**
 * Repeats requests to registries as helm does (oras-go: retry.DefaultPolicy), five times: those
 * that a busy server refuses, and those whose connection is not there in time or breaks off. Their
 * bodies are whole in memory, so they can be sent again.
 */
export function registryRetries({ random, wait = setTimeout }: RetryClock): Dispatcher.DispatcherComposeInterceptor {
  const retry: RetryHandler.RetryCallback = (error, { state: { counter } }, done) => {
    const { code, statusCode, headers } = error as RefusedError;
    const isPassing = statusCode === undefined ? isConnectionProblem(code) : isBusy(statusCode);
    if (!isPassing || counter > mostRetries) {
      done(error);
      return;
    }
    const pause = pauseAfter(counter - 1, statusCode === 429 ? headers?.['retry-after'] : undefined, random);
    return wait(() => done(null), pause); // undici clears the timer if the request is aborted
  };
  const repeated = interceptors.retry({ retry, throwOnError: false });
  return (dispatch) => repeated(limitedRefusals(dispatch));
}

/** An error with the fields that undici adds for a response, and Node for a connection. */
interface RefusedError extends Error {
  readonly code?: string;
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, string | string[] | undefined>>;
}

function isConnectionProblem(code = ''): boolean {
  return brokenConnections.includes(code) || slowConnections.includes(code);
}

function isBusy(status: number): boolean {
  return status === 408 || status === 429 || (status >= 500 && status !== 501);
}

/** Returns 0.25, 0.5, 1, 2 and 3 s, give or take 10 %, or what the server asks for, up to 3 s. */
function pauseAfter(retries: number, retryAfter: string | string[] | undefined, random: () => number): number {
  const asked = typeof retryAfter === 'string' && /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : 0;
  const pause = asked > 0 ? asked : 250 * 2 ** retries * (0.9 + 0.2 * random());
  return Math.min(Math.max(pause, 200), 3000);
}

/** A refusal is read to its end before the request is repeated, so it must have one. */
function limitedRefusals(dispatch: Dispatcher.Dispatch): Dispatcher.Dispatch {
  return (options, handler) => {
    let left = Infinity;
    return dispatch(options, {
      onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
      onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
      onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
      onResponseStart(controller, statusCode, headers, statusMessage) {
        left = statusCode < 400 ? Infinity : maxRefusalBytes;
        handler.onResponseStart?.(controller, statusCode, headers, statusMessage);
      },
      onResponseData(controller, chunk) {
        left -= chunk.length;
        if (left >= 0) handler.onResponseData?.(controller, chunk);
        else controller.abort(new Error(`a refusal is larger than the limit of ${maxRefusalBytes} bytes`));
      },
    });
  };
}
