import type { ComponentChildren } from 'preact';
import { ErrorMessage, Loading } from './message.tsx';
import type { Loaded } from './use-loaded.ts';

/** Shows a value that is loaded, or why it is not. The last value stays while a load fails. */
export function LoadedView<Value>({
  of: { value, error, reload },
  children,
}: {
  of: Loaded<Value>;
  children: (value: Value) => ComponentChildren;
}) {
  if (value === undefined) return error ? <ErrorMessage error={error} onRetry={reload} /> : <Loading />;
  return (
    <>
      {error && <ErrorMessage error={error} onRetry={reload} />}
      {children(value)}
    </>
  );
}
