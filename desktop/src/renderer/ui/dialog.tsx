// Dialogs: a modal frame, one that asks for a confirmation, and a button that opens it.
import { type ReactNode, type RefObject, useId, useLayoutEffect, useRef, useState } from 'react';
import { useTexts } from '../context.ts';
import { Button, type ButtonVariant } from './button.tsx';
import { useAction } from './hooks.ts';
import { Icon } from './icon.tsx';
import { Problem } from './states.tsx';

type DialogProps = {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly isWide?: boolean;
};

/** The browser keeps the focus inside, restores it on close, and closes on Escape. */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    return () => current?.close();
  }, []);
  return dialog;
}

export function Dialog({ title, onClose, children, isWide = false }: DialogProps) {
  const dialog = useModal();
  const titleId = useId();
  const texts = useTexts();
  return (
    <dialog ref={dialog} className={isWide ? 'wide' : undefined} aria-labelledby={titleId} onClose={onClose}>
      <div className="title">
        <h2 id={titleId}>{title}</h2>
        <button type="button" className="bare" aria-label={texts.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      {children}
    </dialog>
  );
}

type Asking = {
  readonly title: string;
  readonly text: string;
  readonly yes: string;
  readonly act: () => Promise<unknown>;
  readonly onClose: () => void;
  /** Fields that go with the answer. */
  readonly children?: ReactNode;
};

export function AskDialog({ title, text, yes, act, onClose, children }: Asking) {
  const texts = useTexts();
  const { run, isBusy, error } = useAction(async () => {
    await act();
    onClose();
  });
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="form">
        <p>{text}</p>
        {children}
        <Problem error={error} />
        <div className="actions">
          <Button label={yes} variant="danger" disabled={isBusy} onClick={() => run()} />
          <Button label={texts.cancel} variant="plain" onClick={onClose} />
        </div>
      </div>
    </Dialog>
  );
}

type AskButtonProps = Omit<Asking, 'yes' | 'onClose'> & {
  /** Also that of the button in the dialog. */
  readonly label: string;
  /** The object of the action, for screen readers. */
  readonly of?: string;
  readonly variant?: ButtonVariant;
};

/** A button for an action that needs a confirmation. */
export function AskButton({ label, of, variant = 'danger', ...question }: AskButtonProps) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button label={label} variant={variant} of={of} onClick={() => setAsking(true)} />
      {isAsking && <AskDialog yes={label} {...question} onClose={() => setAsking(false)} />}
    </>
  );
}
