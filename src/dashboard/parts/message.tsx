import type { ComponentChildren } from 'preact';
import { ApiError } from '../server/api.ts';
import { CommandError } from '../server/command.ts';
import { foreignName } from '../text/foreign-text.ts';
import { Badge } from './badge.tsx';

/** Says why a list has nothing to show, and what to do. */
export function EmptyState({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Why something could not be shown or done. */
export function ErrorMessage({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  return (
    <div class="problem" role="alert">
      <Badge tone="bad">{codeOf(error)}</Badge>
      <p>
        <bdi>{foreignName(error.message, 4000)}</bdi>
      </p>
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

function codeOf(error: Error): string {
  if (error instanceof ApiError) return foreignName(error.code);
  if (error instanceof CommandError) return foreignName(error.failure.code);
  return 'not reachable';
}

/** Keeps the place of what is being loaded. */
export function Loading() {
  return (
    <div class="loading" role="status">
      <span>Loading…</span>
    </div>
  );
}
