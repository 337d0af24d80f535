// Targets of a download: small files in memory, large ones written directly to disk, in browsers that support it.
import { element } from '@recordproof/shared/browser/elements.ts';

type Sink = {
  write(block: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Creates the file under its final name; returns its content. */
  keep(): Promise<File>;
  drop(): Promise<void>;
};

type Named = { readonly name: string; readonly size: number };

/** Available in some browsers only, and missing in TypeScript's types. */
type FilePicker = (options: { readonly suggestedName: string }) => Promise<FileSystemFileHandle>;
declare global {
  interface Window {
    readonly showSaveFilePicker?: FilePicker;
  }
}

const largestInMemory = 256 * 1024 * 1024;

/** Whether a file of that size can be verified while downloading; otherwise the browser saves it directly. */
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
    keep: async () => {
      const file = new File(blocks, name, { type: 'application/octet-stream' });
      save(file, name);
      return file;
    },
    drop: async () => {},
  };
}

async function inFile(pick: FilePicker, suggestedName: string): Promise<Sink> {
  const handle = await pick({ suggestedName });
  const file = await handle.createWritable();
  const keep = async () => {
    await file.close();
    return handle.getFile();
  };
  return { write: block => file.write(block), keep, drop: () => file.abort() };
}

export function save(blob: Blob, name: string): void {
  const href = URL.createObjectURL(blob);
  element('a', { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
