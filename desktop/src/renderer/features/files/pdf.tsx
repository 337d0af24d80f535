// Pages of a PDF, one at a time, as pixels that a worker draws: nothing in the file can act here.
import { captureImage } from '@recordproof/shared/browser/capture-image.ts';
import type { PdfReader } from '@recordproof/shared/browser/pdf-reader.ts';
import { appFilesWords } from '@recordproof/shared/words/app-files.ts';
import { useEffect, useRef, useState } from 'react';
import { useBridge, useTexts, useWords } from '../../context.ts';
import { Button } from '../../ui/button.tsx';

type Shown =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed' }
  | { readonly kind: 'open'; readonly reader: PdfReader; readonly pages: number };

const isPdf = (bytes: Uint8Array): boolean => new TextDecoder('latin1').decode(bytes.subarray(0, 5)) === '%PDF-';

type File = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly name: string;
  readonly onShown: (firstPage: ImageBitmap) => void;
};

export function Pdf({ bytes, name, onShown }: File) {
  const texts = useWords(appFilesWords);
  if (!isPdf(bytes)) return <p className="quiet small">{texts.notPdf}</p>;
  return <Pages bytes={bytes} name={name} onShown={onShown} />;
}

function Pages({ bytes, name, onShown }: File) {
  const { openPdf } = useBridge();
  const { loading } = useTexts();
  const { pdf: texts } = useWords(appFilesWords);
  const [shown, setShown] = useState<Shown>({ kind: 'loading' });
  const [page, setPage] = useState(1);
  useEffect(() => {
    let isOver = false;
    const show = (next: Shown) => isOver || setShown(next);
    const reader = openPdf(bytes);
    setPage(1);
    reader.countPages().then(
      pages => show({ kind: 'open', reader, pages }),
      () => show({ kind: 'failed' }),
    );
    return () => {
      isOver = true;
      setShown({ kind: 'loading' });
      reader.close();
    };
  }, [bytes, openPdf]);
  if (shown.kind === 'loading') return <p className="quiet small">{loading}</p>;
  if (shown.kind === 'failed') return <p className="quiet small">{texts.failed}</p>;
  const { reader, pages } = shown;
  const label = texts.page(page, name);
  const fail = () => setShown({ kind: 'failed' });
  return (
    <>
      <div className="preview">
        <Page reader={reader} page={page} label={label} onFail={fail} onShown={onShown} />
      </div>
      {pages > 1 && (
        <p className="actions">
          <Button label={texts.previous} variant="plain" disabled={page === 1} onClick={() => setPage(page - 1)} />
          <span className="quiet small">{texts.of(page, pages)}</span>
          <Button label={texts.next} variant="plain" disabled={page === pages} onClick={() => setPage(page + 1)} />
        </p>
      )}
      <p className="quiet small">{texts.limits}</p>
    </>
  );
}

type PageParts = {
  readonly reader: PdfReader;
  readonly page: number;
  readonly label: string;
  readonly onFail: () => void;
  readonly onShown: File['onShown'];
};

function Page({ reader, page, label, onFail, onShown }: PageParts) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [drawn, setDrawn] = useState(0);
  const latest = useRef({ onFail, onShown });
  latest.current = { onFail, onShown };
  useEffect(() => {
    let isOver = false;
    reader.draw(page).then(
      bitmap => {
        if (isOver || !canvas.current) return bitmap.close();
        canvas.current.width = bitmap.width;
        canvas.current.height = bitmap.height;
        canvas.current.getContext('bitmaprenderer')?.transferFromImageBitmap(bitmap);
        setDrawn(page);
        if (page === 1) captureImage(canvas.current).then(latest.current.onShown, () => undefined);
      },
      () => isOver || latest.current.onFail(),
    );
    return () => {
      isOver = true;
    };
  }, [reader, page]);
  return <canvas ref={canvas} role="img" aria-label={label} aria-busy={drawn !== page} />;
}
