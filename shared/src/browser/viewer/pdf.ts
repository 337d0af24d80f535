// Pages of a PDF in the viewer, one at a time, as pixels that a worker draws.
import { captureImage } from '../capture-image.ts';
import { element } from '../elements.ts';
import { NotShown, type Showing, type Shown, type ViewedFile, zoomTo } from './viewed-file.ts';

const isPdf = (bytes: Uint8Array): boolean => new TextDecoder('latin1').decode(bytes.subarray(0, 5)) === '%PDF-';

export async function showPdf(
  bytes: Uint8Array<ArrayBuffer>,
  { name, onShown }: ViewedFile,
  { texts, signal, openPdf }: Showing,
): Promise<Shown> {
  if (!isPdf(bytes)) throw new NotShown(texts.notPdf);
  const reader = openPdf(bytes);
  signal.addEventListener('abort', () => reader.close(), { once: true });
  const canvas = element('canvas', { role: 'img' });
  let page = 1;
  const draw = async (number: number) => {
    const bitmap = await reader.draw(number);
    page = number;
    Object.assign(canvas, { width: bitmap.width, height: bitmap.height });
    canvas.getContext('bitmaprenderer')?.transferFromImageBitmap(bitmap);
    canvas.setAttribute('aria-label', texts.pdfPage(String(number), name));
  };
  try {
    const pages = await reader.countPages();
    await draw(1);
    if (onShown) captureImage(canvas).then(onShown, () => undefined);
    const turn = async (step: number) => {
      const next = Math.max(1, Math.min(pages, page + step));
      if (next !== page) await draw(next);
    };
    const turner = { turn, label: () => texts.pdfOf(String(page), String(pages)) };
    return {
      node: canvas,
      about: texts.pdfLimits,
      ...(pages > 1 && { pages: turner }),
      zoom: factor => zoomTo(canvas, factor),
      close: () => reader.close(),
    };
  } catch {
    reader.close();
    throw new NotShown(texts.pdfFailed);
  }
}
