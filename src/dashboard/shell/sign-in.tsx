import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../parts/app-context.ts';

/** Asks for a token, or leads to the provider at which people sign in. */
export function SignIn() {
  const { session } = useApp();
  const [hasProvider, setHasProvider] = useState(false);
  useEffect(() => void session.hasProvider().then(setHasProvider, () => undefined), []);
  const { pathname, search } = window.location;
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState('');
  const signIn = async () => {
    setProblem('');
    const isValid = await session.signIn(token.trim()).catch(() => undefined);
    if (isValid === false) setProblem('The token is wrong, or has expired.');
    if (isValid === undefined) setProblem('The control plane is not reachable. Try again.');
  };
  return (
    <main class="sign-in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void signIn();
        }}
      >
        <h1>helm-agent</h1>
        {hasProvider && (
          <>
            <a
              class="button"
              href={`/sign-in?returnTo=${encodeURIComponent(pathname + search)}`}
              // the server sends the browser on
              target="_self"
            >
              Sign in with your organisation
            </a>
            <p class="muted or">or with a token</p>
          </>
        )}
        <label>
          <span>API token</span>
          <input
            type="password"
            name="token"
            autocomplete="off"
            required
            value={token}
            aria-describedby="token-help"
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <p id="token-help" class="muted">
          Your own token, or that of the control plane's <code>--api-token-file</code>. An administrator makes one with{' '}
          <code>helm-agent ctl token create</code>. This tab forgets it when it is closed.
        </p>
        <p class="problem-line" role="alert">
          {problem}
        </p>
        <button type="submit" class="primary">
          Sign in
        </button>
      </form>
    </main>
  );
}
