// Preview of a file in its panel: the thumbnail of an image where it has one, other small files at once, the rest on request.
import type { File } from '@recordproof/shared/api/files.ts';
import { imageHeadBytes, isTooLarge, readImageSize } from '@recordproof/shared/image-size.ts';
import { hasThumbnail, maxViewBytes, mediaTypeOf, type ViewKind, viewOf } from '@recordproof/shared/preview-kinds.ts';
import { viewerWords } from '@recordproof/shared/words/viewer.ts';
import { useMemo, useState } from 'react';
import { useBridge, useTexts, useWatched, useWords } from '../../context.ts';
import { Button } from '../../ui/button.tsx';
import { BytesImage } from '../../ui/bytes-image.tsx';
import { useLoad } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';
import { TypeIcon } from './file-icon.tsx';
import { Pdf } from './pdf.tsx';

const unaskedBytes = 2 * 1024 * 1024;
const maxCharacters = 20_000;

type Viewed = { readonly file: File; readonly onView: () => void };

export function Preview({ file, onView }: Viewed) {
  const { file: texts } = useTexts();
  const { view } = useWords(viewerWords);
  const { kind } = viewOf(file);
  return (
    <section>
      <h3>{texts.preview}</h3>
      {kind === 'image' && <ImagePreview file={file} />}
      {kind === 'video' && <StoredThumbnail file={file} />}
      {(kind === 'pdf' || kind === 'text') && <OnRequest file={file} kind={kind} />}
      <p className="actions">
        <button type="button" className="plain" onClick={onView}>
          <TypeIcon file={file} /> {view}
        </button>
      </p>
    </section>
  );
}

/** The original is loaded only where there is no thumbnail yet; then one is made, and the shown image stays. */
function ImagePreview({ file }: { readonly file: File }) {
  const { loading } = useTexts();
  const url = useThumbnail(file);
  const [wasMissing, setMissing] = useState(false);
  if (url === null && !wasMissing) setMissing(true);
  if (wasMissing || url === null) return <OnRequest file={file} kind="image" />;
  if (url === undefined) return <p className="quiet small">{loading}</p>;
  return <Thumbnail url={url} name={file.fileName} />;
}

const Thumbnail = ({ url, name }: { readonly url: string; readonly name: string }) => (
  <div className="preview">
    <img src={url} alt={name} />
  </div>
);

function StoredThumbnail({ file }: { readonly file: File }) {
  const url = useThumbnail(file);
  return url && <Thumbnail url={url} name={file.fileName} />;
}

/** Undefined until it is known, null where there is none. */
function useThumbnail({ fileHash }: File): string | null | undefined {
  const { thumbnails } = useBridge();
  return useWatched(useMemo(() => thumbnails.shown(fileHash), [thumbnails, fileHash]));
}

function OnRequest({ file, kind }: { readonly file: File; readonly kind: ViewKind }) {
  const { file: texts } = useTexts();
  const [isOpen, setOpen] = useState(file.fileSize <= unaskedBytes);
  if (isOpen) return <PreviewOf file={file} kind={kind} />;
  return <Button label={texts.show} variant="plain" onClick={() => setOpen(true)} />;
}

type Previewed = Pick<File, 'fileHash' | 'fileName' | 'fileSize' | 'contentType'>;

export function PreviewOf({ file, kind }: { readonly file: Previewed; readonly kind: ViewKind }) {
  const texts = useTexts();
  const { downloads, thumbnails } = useBridge();
  const { state } = useLoad(file.fileHash, signal =>
    downloads.read({ source: { kind: 'file', fileHash: file.fileHash }, maxBytes: maxViewBytes }, signal),
  );
  if (state.kind === 'loading') return <p className="quiet small">{texts.loading}</p>;
  if (state.kind === 'failed') return <Problem error={state.error} />;
  const bytes = state.value;
  const offer = (source: Blob | ImageBitmap) => {
    if (hasThumbnail(file)) thumbnails.offer(file.fileHash, source);
  };
  if (kind === 'image') return <WholeImage file={file} bytes={bytes} onShown={offer} />;
  if (kind === 'pdf') return <Pdf bytes={bytes} name={file.fileName} onShown={offer} />;
  const text = new TextDecoder().decode(bytes.subarray(0, maxCharacters * 4)).slice(0, maxCharacters);
  return (
    <div className="preview">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys */}
      <pre tabIndex={0}>{text}</pre>
    </div>
  );
}

type Whole = {
  readonly file: Previewed;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly onShown: (image: Blob) => void;
};

/** Its pixels are bounded before it is decoded. */
function WholeImage({ file, bytes, onShown }: Whole) {
  const texts = useWords(viewerWords);
  const size = readImageSize(bytes.subarray(0, imageHeadBytes));
  if (size === null) return <p className="quiet small">{texts.notImage}</p>;
  if (isTooLarge(size)) return <p className="quiet small">{texts.tooManyPixels}</p>;
  const type = mediaTypeOf(file.contentType);
  const shown = () => onShown(new Blob([bytes], { type }));
  const otherwise = <p className="quiet small">{texts.notImage}</p>;
  return <BytesImage bytes={bytes} type={type} name={file.fileName} otherwise={otherwise} onShown={shown} />;
}
