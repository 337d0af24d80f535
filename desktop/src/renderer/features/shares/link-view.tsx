// Link of a share, to copy, and as a QR code.
import { lazy, Suspense } from 'react';
import { useBridge, useSay } from '../../context.ts';
import { useSocialSay } from '../../social-say.ts';
import { CopyButton } from '../../ui/buttons.tsx';
import { Field } from '../../ui/form.tsx';
import { toShareLink } from './share-link.ts';

const QrCode = lazy(async () => ({ default: (await import('./qr-code.tsx')).QrCode }));

export function LinkView({ code }: { readonly code: string }) {
  const { sharing } = useSay();
  const { links: say } = useSocialSay();
  const { session } = useBridge();
  const link = toShareLink(session.serverUrl(), code);
  return (
    <div className="form">
      <Field label={sharing.link} value={link} readOnly autoFocus onFocus={event => event.target.select()} />
      <div className="actions">
        <CopyButton text={link} label={sharing.link} />
      </div>
      <figure className="qr-frame">
        <Suspense fallback={<div className="qr" />}>
          <QrCode text={link} label={say.qrLabel} />
        </Suspense>
        <figcaption className="quiet small">{say.qrHint}</figcaption>
      </figure>
    </div>
  );
}
