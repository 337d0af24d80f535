import { useState } from 'react';
import { useBridge, useSay } from '../surroundings.ts';

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
