// Buttons that show the result of their action.
import { useState } from 'react';
import { useBridge, useTexts } from '../context.ts';
import { Button, type ButtonVariant } from './button.tsx';
import { useAction } from './hooks.ts';
import { Problem } from './states.tsx';

type Acting = {
  readonly label: string;
  /** The object of the action, for screen readers. */
  readonly of: string;
  readonly variant?: ButtonVariant;
  readonly act: () => Promise<unknown>;
};

/** A button that runs an action, and shows its error. */
export function ActButton({ label, of, variant, act }: Acting) {
  const { run, isBusy, error } = useAction(act);
  return (
    <>
      <Button label={label} variant={variant} disabled={isBusy} of={of} onClick={() => run()} />
      {error !== null && <Problem error={error} />}
    </>
  );
}

export function CopyButton({ text, label }: { readonly text: string; readonly label?: string }) {
  const texts = useTexts();
  const { copyText } = useBridge();
  const [copied, setCopied] = useState(false);
  const copy = () =>
    copyText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  return (
    <Button
      label={copied ? texts.copied : texts.copy}
      variant="plain"
      onClick={copy}
      aria-label={label ? `${texts.copy}: ${label}` : undefined}
    />
  );
}

type CopyNoteProps = { readonly value: string; readonly text: string; readonly label: string };

/** A link or token that is shown once, with its explanation. */
export function CopyNote({ value, text, label }: CopyNoteProps) {
  return (
    <div className="note">
      <p>{text}</p>
      <ul className="commands">
        <li>
          <code>{value}</code>
          <CopyButton text={value} label={label} />
        </li>
      </ul>
    </div>
  );
}
