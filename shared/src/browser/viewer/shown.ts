// Content of the viewer for one file, by kind: pixels, pages, text or media. Bytes and types may be hostile: nothing is read as
// HTML, no address of a file is opened, and pixels are bounded before they are decoded.
import { imageHeadBytes, isTooLarge, readImageSize } from '../../image-size.ts';
import { mediaTypeOf, type View, viewOf } from '../../preview-kinds.ts';
import { element } from '../elements.ts';
import { showMedia } from './media.ts';
import { showPdf } from './pdf.ts';
import { NotShown, type Showing, type Shown, type ViewedFile, zoomTo } from './viewed-file.ts';

const maxCharacters = 500_000;

function whyNot(view: Extract<View, { kind: null }>, type: string, { texts, toSize }: Showing): string {
  if (view.whyNot === 'tooLarge') return texts.tooLarge(toSize(view.limit ?? 0));
  return view.whyNot === 'unknown' ? texts.unknown(type) : texts[view.whyNot];
}

export async function show(file: ViewedFile, showing: Showing): Promise<Shown> {
  const view = viewOf(file);
  if (view.kind === null) throw new NotShown(whyNot(view, mediaTypeOf(file.contentType), showing));
  if (view.kind === 'audio' || view.kind === 'video') return showMedia(view.kind, file, showing);
  const bytes = await file.read(showing.signal);
  if (view.kind === 'pdf') return showPdf(bytes, file, showing);
  return view.kind === 'text' ? showText(bytes, showing) : showImage(bytes, file, showing);
}

async function showImage(bytes: Uint8Array<ArrayBuffer>, file: ViewedFile, { texts }: Showing): Promise<Shown> {
  const size = readImageSize(bytes.subarray(0, imageHeadBytes));
  if (size === null) throw new NotShown(texts.notImage);
  if (isTooLarge(size)) throw new NotShown(texts.tooManyPixels);
  const url = URL.createObjectURL(new Blob([bytes], { type: mediaTypeOf(file.contentType) }));
  const image = element('img', { src: url, alt: file.name });
  try {
    await image.decode();
  } catch {
    URL.revokeObjectURL(url);
    throw new NotShown(texts.notImage);
  }
  file.onShown?.(bytes);
  return { node: image, zoom: factor => zoomTo(image, factor), close: () => URL.revokeObjectURL(url) };
}

function showText(bytes: Uint8Array<ArrayBuffer>, { texts }: Showing): Shown {
  const text = new TextDecoder().decode(bytes.subarray(0, maxCharacters * 4)).slice(0, maxCharacters);
  const node = element('pre', {}, text);
  return {
    node,
    about: bytes.length > text.length && text.length === maxCharacters ? texts.cut : undefined,
    zoom: factor => {
      node.style.fontSize = `${factor * 0.875}rem`;
    },
  };
}
