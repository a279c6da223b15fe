import { useState } from 'preact/hooks';
import { useApp } from '../parts/app-context.ts';
import { Confirm } from '../parts/confirm.tsx';
import { LoadedView } from '../parts/loaded-view.tsx';
import { EmptyState } from '../parts/message.tsx';
import { Name } from '../parts/name.tsx';
import { Time } from '../parts/time.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { hrefOf } from '../route/route.ts';
import type { Role } from '../server/session.ts';
import type { ListedToken } from '../server/types.ts';
import { foreignName } from '../text/foreign-text.ts';
import { CreateToken } from './create-token.tsx';

/** The tokens of people and programs, and what they may do. */
export function TokensView() {
  const { api } = useApp();
  const tokens = useLoaded((signal) => api.get<{ tokens: ListedToken[] }>('/api/tokens', signal), []);
  const [isCreating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<ListedToken>();
  return (
    <>
      <div class="heading">
        <h1>Tokens</h1>
        <div class="buttons">
          <button type="button" class="primary" onClick={() => setCreating(true)}>
            Create a token
          </button>
        </div>
      </div>
      <AccessTabs current="tokens" />
      <LoadedView of={tokens}>
        {({ tokens: all }) => (all.length === 0 ? <NoTokens /> : <TokenList tokens={all} onRevoke={setRevoked} />)}
      </LoadedView>
      {isCreating && (
        <CreateToken
          onClose={() => {
            setCreating(false);
            tokens.reload();
          }}
        />
      )}
      {revoked && (
        <Confirm
          title={`Revoke the token of ${foreignName(revoked.name)}?`}
          action="Revoke"
          isDangerous
          onConfirm={async () => {
            await api.send('DELETE', `/api/tokens/${encodeURIComponent(revoked.id)}`);
            tokens.reload();
          }}
          onClose={() => setRevoked(undefined)}
        >
          <p>It is not valid any more at once, and open streams of its user end.</p>
        </Confirm>
      )}
    </>
  );
}

/** The views about who may do what. */
export function AccessTabs({ current }: { current: 'tokens' | 'people' }) {
  const link = (name: typeof current, title: string) => (
    <a href={hrefOf(name, {})} aria-current={name === current ? 'page' : undefined}>
      {title}
    </a>
  );
  return (
    <nav class="tabs" aria-label="Access">
      {link('tokens', 'Tokens')}
      {link('people', 'People')}
    </nav>
  );
}

function NoTokens() {
  return (
    <EmptyState title="No one has a token of their own yet">
      <p>
        A token says who someone is and what they may do: on which agents, in which namespaces, with which releases.
      </p>
    </EmptyState>
  );
}

function TokenList({ tokens, onRevoke }: { tokens: readonly ListedToken[]; onRevoke: (token: ListedToken) => void }) {
  return (
    <ul class="rows" aria-label="Tokens">
      {tokens.map((token) => (
        <li key={token.id}>
          <span class="row-main">
            <span class="row-title">
              <Name>{token.name}</Name> <code class="muted">{foreignName(token.id)}</code>
            </span>
            {token.roles.map((role, index) => (
              <bdi key={index} class="reason">
                {roleText(role)}
              </bdi>
            ))}
          </span>
          <span class="row-end muted">
            ends <Time at={token.expiresAt} />
          </span>
          <span class="row-actions">
            <button type="button" onClick={() => onRevoke(token)}>
              Revoke
            </button>
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Returns a role as a sentence. */
function roleText({ rights, agents, labels, namespaces, releases }: Role): string {
  const limits = [
    agents && `agents ${agents.join(', ')}`,
    labels !== undefined && `agents with ${labels}`,
    namespaces && `namespaces ${namespaces.join(', ')}`,
    releases && `releases ${releases.join(', ')}`,
  ].filter((limit) => typeof limit === 'string');
  return foreignName(`${rights.join(', ')} on ${limits.length === 0 ? 'everything' : limits.join('; ')}`, 1000);
}
