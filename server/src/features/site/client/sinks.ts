// Where a download goes on this machine: small ones through memory, large ones straight into a file, in browsers that can.
import { element } from '@recordproof/shared/browser/elements.ts';

export type Sink = {
  write(block: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Only now is there a file of that name. */
  keep(): Promise<void>;
  drop(): Promise<void>;
};

type Named = { readonly name: string; readonly size: number };

/** What only some browsers have, and TypeScript does not know of. */
type FilePicker = (options: { readonly suggestedName: string }) => Promise<FileSystemFileHandle>;
declare global {
  interface Window {
    readonly showSaveFilePicker?: FilePicker;
  }
}

const largestInMemory = 256 * 1024 * 1024;

/** Whether a file of that size can be looked at on its way; else the browser has to save it by itself. */
export const canSink = (size: number): boolean => size <= largestInMemory || window.showSaveFilePicker !== undefined;

export const openSink = ({ name, size }: Named): Promise<Sink> =>
  size <= largestInMemory || window.showSaveFilePicker === undefined
    ? Promise.resolve(inMemory(name))
    : inFile(window.showSaveFilePicker, name);

function inMemory(name: string): Sink {
  const blocks: Uint8Array<ArrayBuffer>[] = [];
  return {
    write: async block => {
      blocks.push(block);
    },
    keep: async () => save(new Blob(blocks, { type: 'application/octet-stream' }), name),
    drop: async () => {},
  };
}

async function inFile(pick: FilePicker, suggestedName: string): Promise<Sink> {
  const file = await (await pick({ suggestedName })).createWritable();
  return { write: block => file.write(block), keep: () => file.close(), drop: () => file.abort() };
}

function save(blob: Blob, name: string): void {
  const href = URL.createObjectURL(blob);
  element('a', { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
