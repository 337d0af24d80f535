// PDF reader: one worker for each file, terminated with the reader, or when a page takes too long.

/** Message from the page to the worker that draws. */
export type PdfTask =
  | { readonly id: number; readonly kind: 'open'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly id: number; readonly kind: 'draw'; readonly page: number };
/** The answer of the worker. Null: it cannot be shown. */
export type PdfAnswer = { readonly id: number; readonly value: number | ImageBitmap | null };

/** Each call rejects where the bytes cannot be shown, or take too long. */
export type PdfReader = {
  countPages(): Promise<number>;
  /** Pages count from 1. */
  draw(page: number): Promise<ImageBitmap>;
  close(): void;
};

const longestMs = 20_000;

type Question = PdfTask extends infer T ? (T extends PdfTask ? Omit<T, 'id'> : never) : never;

const isAnswer = (data: unknown): data is PdfAnswer => typeof data === 'object' && data !== null && 'id' in data;

class CannotShow extends Error {}

export function openPdfReader(worker: Worker, bytes: Uint8Array<ArrayBuffer>): PdfReader {
  const waiting = new Map<number, PromiseWithResolvers<NonNullable<PdfAnswer['value']>>>();
  let last = 0;

  function close(): void {
    worker.terminate();
    for (const { reject } of waiting.values()) reject(new CannotShow());
    waiting.clear();
  }

  async function ask(question: Question): Promise<NonNullable<PdfAnswer['value']>> {
    last += 1;
    const id = last;
    const answered = Promise.withResolvers<NonNullable<PdfAnswer['value']>>();
    waiting.set(id, answered);
    worker.postMessage({ ...question, id });
    const tooLong = setTimeout(close, longestMs);
    return answered.promise.finally(() => clearTimeout(tooLong));
  }

  worker.onerror = close;
  // pdf.js posts a message of its own when it is loaded.
  worker.onmessage = ({ data }: MessageEvent<unknown>) => {
    const answered = isAnswer(data) ? waiting.get(data.id) : undefined;
    if (!isAnswer(data) || !answered) return;
    waiting.delete(data.id);
    if (data.value === null) answered.reject(new CannotShow());
    else answered.resolve(data.value);
  };
  return {
    countPages: async () => Number(await ask({ kind: 'open', bytes })),
    async draw(page) {
      const drawn = await ask({ kind: 'draw', page });
      if (drawn instanceof ImageBitmap) return drawn;
      throw new CannotShow();
    },
    close,
  };
}
