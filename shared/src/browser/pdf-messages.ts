// Messages between a page and the worker that draws PDF.
export type PdfTask =
  | { readonly id: number; readonly kind: 'open'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly id: number; readonly kind: 'draw'; readonly page: number };
/** Null: it cannot be shown. */
export type PdfAnswer = { readonly id: number; readonly value: number | ImageBitmap | null };

/** Each call rejects where the bytes cannot be shown, or take too long. */
export type PdfReader = {
  countPages(): Promise<number>;
  /** Pages count from 1. */
  draw(page: number): Promise<ImageBitmap>;
  close(): void;
};
