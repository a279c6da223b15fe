import { useState } from 'preact/hooks';
import { useApp } from '../parts/app-context.ts';

/** Asks for a token. */
export function SignIn() {
  const { session } = useApp();
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
