// Worker that draws pages of a PDF, whose bytes may be hostile. All of pdf.js runs here, and only pixels reach the
// page. No script, link, form or font of the file acts, and the policy of this script forbids every connection.
import 'pdfjs-dist/build/pdf.worker.mjs';
import type { PdfAnswer, PdfTask } from '@recordproof/shared/browser/pdf-reader.ts';
import { AnnotationMode, getDocument, type PDFDocumentProxy } from 'pdfjs-dist';

const widthInPixels = 1200;
const mostPixels = 4_000_000;
const mostImagePixels = 32 * 1024 * 1024;

type Drawing = { canvas: OffscreenCanvas | null; context: OffscreenCanvasRenderingContext2D | null };

/** Canvas factory for pdf.js, which needs further canvases for pages with layers. A worker has no document. */
class CanvasFactory {
  create(width: number, height: number): Drawing {
    const canvas = new OffscreenCanvas(width, height);
    return { canvas, context: canvas.getContext('2d') };
  }
  reset({ canvas }: Drawing, width: number, height: number): void {
    if (canvas) Object.assign(canvas, { width, height });
  }
  destroy(drawing: Drawing): void {
    Object.assign(drawing, { canvas: null, context: null });
  }
  getNoAlphaContext(canvas: OffscreenCanvas): OffscreenCanvasRenderingContext2D | null {
    return canvas.getContext('2d', { alpha: false });
  }
}

/** Filters of SVG need a document: without them some transparency is drawn more simply. */
class NoFilters {
  addFilter = () => 'none';
  addHCMFilter = () => 'none';
  addAlphaFilter = () => 'none';
  addLuminosityFilter = () => 'none';
  addKnockoutFilter = () => 'none';
  addHighlightHCMFilter = () => 'none';
  addSelectionHCMFilter = () => 'none';
  addSelectionFilter = () => 'none';
  createSelectionStyle = () => null;
  destroy(): void {}
}

class NoFetch {
  async fetch(): Promise<never> {
    throw new Error('PDF: external resources are not loaded');
  }
}

const open = (data: Uint8Array): Promise<PDFDocumentProxy> =>
  getDocument({
    data,
    CanvasFactory,
    FilterFactory: NoFilters,
    BinaryDataFactory: NoFetch,
    disableFontFace: true, // letters are drawn as shapes: no font of the file is given to the system
    disableWorkerRendering: true,
    enableXfa: false,
    isImageDecoderSupported: false,
    maxImageSize: mostImagePixels,
    useSystemFonts: false,
    useWasm: false,
    useWorkerFetch: false,
    verbosity: 0,
  }).promise;

async function draw(document: PDFDocumentProxy, number: number): Promise<ImageBitmap> {
  const page = await document.getPage(number);
  const { width, height } = page.getViewport({ scale: 1 });
  const scale = Math.min(widthInPixels / width, Math.sqrt(mostPixels / (width * height)));
  const viewport = page.getViewport({ scale });
  const canvas = new OffscreenCanvas(Math.ceil(viewport.width), Math.ceil(viewport.height));
  // The display layer of pdf.js expects a canvas element, and uses nothing of it that an OffscreenCanvas lacks.
  const target = canvas as unknown as HTMLCanvasElement;
  await page.render({ canvas: target, viewport, annotationMode: AnnotationMode.ENABLE }).promise;
  page.cleanup();
  return canvas.transferToImageBitmap();
}

let opened: Promise<PDFDocumentProxy> | undefined;

async function work(task: PdfTask): Promise<PdfAnswer['value']> {
  if (task.kind === 'open') {
    opened = open(task.bytes);
    return (await opened).numPages;
  }
  return opened === undefined ? null : draw(await opened, task.page);
}

/** Null: it cannot be shown. */
const answer = (id: number, value: PdfAnswer['value']): void => {
  const message: PdfAnswer = { id, value };
  globalThis.postMessage(message, { transfer: value instanceof ImageBitmap ? [value] : [] });
};

globalThis.addEventListener('message', ({ data }: MessageEvent<PdfTask>) => {
  work(data).then(
    value => answer(data.id, value),
    () => answer(data.id, null),
  );
});
