// Buttons whose object is named for screen readers, and buttons that show the result of their action.
import { useState } from 'react';
import { useBridge, useTexts } from '../context.ts';
import { useAction } from './hooks.ts';
import { Problem } from './states.tsx';

type Acting = {
  readonly label: string;
  /** The object of the action, for screen readers. */
  readonly of: string;
  readonly variant?: 'plain' | 'bare' | 'danger';
  readonly act: () => Promise<unknown>;
};

/** A button that runs an action, and shows its error. */
export function ActButton({ label, of, variant, act }: Acting) {
  const { run, isBusy, error } = useAction(act);
  return (
    <>
      <button
        type="button"
        {...(variant && { className: variant })}
        disabled={isBusy}
        aria-label={`${label}: ${of}`}
        onClick={() => run()}
      >
        {label}
      </button>
      {error !== null && <Problem error={error} />}
    </>
  );
}

type Named = Pick<Acting, 'label' | 'of'> & {
  /** Empty for the main action. */
  readonly variant?: 'plain' | 'bare' | 'danger' | '';
  readonly disabled?: boolean;
  readonly onClick: () => unknown;
};

export const NamedButton = ({ label, of, variant = 'plain', ...button }: Named) => (
  <button type="button" className={variant} aria-label={`${label}: ${of}`} {...button}>
    {label}
  </button>
);

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
    <button type="button" className="plain" onClick={copy} {...(label && { 'aria-label': `${texts.copy}: ${label}` })}>
      {copied ? texts.copied : texts.copy}
    </button>
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
