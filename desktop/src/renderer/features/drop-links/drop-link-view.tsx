// Address of a drop link, to copy, and as a QR code.
import { dropPagePrefix } from '@recordproof/shared/api/drop-links.ts';
import { useBridge } from '../../context.ts';
import { LinkView } from '../shares/link-view.tsx';
import { useDropTexts } from './use-drop-texts.ts';

export const toDropLink = (serverUrl: string, code: string): string =>
  `${serverUrl.replace(/\/+$/, '')}${dropPagePrefix}${encodeURIComponent(code)}`;

export function DropLinkView({ code }: { readonly code: string }) {
  const { session } = useBridge();
  return <LinkView link={toDropLink(session.serverUrl(), code)} qrLabel={useDropTexts().qrLabel} />;
}
