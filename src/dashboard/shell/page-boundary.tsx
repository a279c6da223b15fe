import { Component, type ComponentChildren } from 'preact';
import { asError } from '../../errors/index.ts';
import { ErrorMessage } from '../parts/message.tsx';

/** Shows that a view has failed, so that the rest of the page keeps working. */
export class PageBoundary extends Component<{ children: ComponentChildren }, { error: Error | undefined }> {
  override state: { error: Error | undefined } = { error: undefined };

  static override getDerivedStateFromError(error: unknown): { error: Error } {
    return { error: asError(error) };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return <ErrorMessage error={error} onRetry={() => this.setState({ error: undefined })} />;
  }
}
