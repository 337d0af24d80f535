// Buttons that do one thing and show its result: an action, a copy.

import { useState } from 'react';
import { useBridge, useSay } from '../context.ts';
import { useAction } from './hooks.ts';
import { Problem } from './states.tsx';

type Acting = {
  readonly label: string;
  /** What it is done to, for those who hear the button apart from its line. */
  readonly of: string;
  readonly look?: 'plain' | 'bare' | 'danger';
  readonly act: () => Promise<unknown>;
};

/** A button that does one thing at once, and says beside it what went wrong. */
export function ActButton({ label, of, look, act }: Acting) {
  const { run, isBusy, error } = useAction(act);
  return (
    <>
      <button
        type="button"
        {...(look && { className: look })}
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

export function CopyButton({ text, label }: { readonly text: string; readonly label?: string }) {
  const say = useSay();
  const { copyText } = useBridge();
  const [copied, setCopied] = useState(false);
  const copy = () =>
    copyText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  return (
    <button type="button" className="plain" onClick={copy} {...(label && { 'aria-label': `${say.copy}: ${label}` })}>
      {copied ? say.copied : say.copy}
    </button>
  );
}
