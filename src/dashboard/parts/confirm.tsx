import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { asError } from '../../errors/index.ts';
import { ErrorMessage } from './message.tsx';
import { useModal } from './use-modal.ts';

export interface ConfirmProps {
  title: string;
  /** The button that does it. */
  action: string;
  /** Whether it removes something. Default: false. */
  isDangerous?: boolean;
  /** Whether `onConfirm` shows something else in its place. Default: the dialog closes. */
  isOpenAfter?: boolean;
  children?: ComponentChildren;
  /** Rejects with why it could not be done, which is shown. */
  onConfirm: () => Promise<void>;
  onClose: () => void;
}

/** A dialog that asks before something is done, and stays until it is. */
export function Confirm({
  title,
  action,
  isDangerous = false,
  isOpenAfter = false,
  children,
  onConfirm,
  onClose,
}: ConfirmProps) {
  const dialog = useModal();
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const confirm = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await onConfirm();
      if (!isOpenAfter) onClose();
    } catch (reason) {
      setError(asError(reason));
      setBusy(false);
    }
  };
  return (
    <dialog
      ref={dialog}
      aria-label={title}
      onCancel={(event) => isBusy && event.preventDefault()}
      // browsers let a second Esc close it nevertheless
      onClose={() => (isBusy ? dialog.current?.showModal() : onClose())}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void confirm();
        }}
      >
        <h2>{title}</h2>
        {children}
        {error && <ErrorMessage error={error} />}
        <div class="buttons">
          <button type="button" disabled={isBusy} onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="submit" class={isDangerous ? 'danger' : 'primary'} disabled={isBusy}>
            {action}
          </button>
        </div>
      </form>
    </dialog>
  );
}
