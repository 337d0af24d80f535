// Address of a link, to copy, and as a QR code.
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { useBridge, useTexts, useWords } from '../../context.ts';
import { CopyButton } from '../../ui/buttons.tsx';
import { Field } from '../../ui/form.tsx';
import { lazyPart } from '../../ui/lazy.tsx';
import { isLoopback } from './share-link.ts';

const QrCode = lazyPart(async () => (await import('./qr-code.tsx')).QrCode, <div className="qr" />);

type Shown = { readonly link: string; readonly qrLabel: string };

export function LinkView({ link, qrLabel }: Shown) {
  const { sharing } = useTexts();
  const { links: texts } = useWords(socialWords);
  const { session } = useBridge();
  const isLocal = isLoopback(session.serverUrl());
  return (
    <div className="form">
      <Field label={sharing.link} value={link} readOnly autoFocus onFocus={event => event.target.select()} />
      <div className="actions">
        <CopyButton text={link} label={sharing.link} />
      </div>
      <figure className="qr-frame">
        <QrCode text={link} label={qrLabel} />
        <figcaption className={isLocal ? 'problem' : 'quiet small'}>
          {isLocal ? texts.onlyHere : texts.qrHint}
        </figcaption>
      </figure>
    </div>
  );
}
