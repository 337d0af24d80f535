// Address of a drop link, to copy, and as a QR code.
import { dropPagePrefix } from '@recordproof/shared/api/drop-links.ts';
import { dropLinkWords } from '@recordproof/shared/words/app-drops.ts';
import { useBridge, useWords } from '../../context.ts';
import { LinkView } from '../shares/link-view.tsx';

export const toDropLink = (serverUrl: string, code: string): string =>
  `${serverUrl.replace(/\/+$/, '')}${dropPagePrefix}${encodeURIComponent(code)}`;

export function DropLinkView({ code }: { readonly code: string }) {
  const { session } = useBridge();
  return <LinkView link={toDropLink(session.serverUrl(), code)} qrLabel={useWords(dropLinkWords).qrLabel} />;
}
