// Sums of a list of transfers: files and bytes, done and in all; how many run, and which are done. A proof counts as a file of
// unknown size; of the ZIP of a folder the size is known when it arrives.
import type { Download, Upload } from '../../../bridge/bridge.ts';

type Part = { readonly files: number; readonly bytes: number };
type Sum = { readonly done: Part; readonly all: Part };

function sizeOf(one: Upload | Download): number {
  if (!('wanted' in one)) return one.size;
  const size = one.wanted.kind === 'proof' ? 0 : one.wanted.size;
  return size === 0 ? (one.progress?.totalBytes ?? 0) : size;
}

export function sumOf(transfers: readonly (Upload | Download)[]): Sum {
  let [doneFiles, allFiles, doneBytes, allBytes] = [0, 0, 0, 0];
  for (const one of transfers) {
    const files = 'files' in one ? one.files : 1;
    const size = sizeOf(one);
    const isDone = one.state.kind === 'done';
    allFiles += files;
    allBytes += size;
    if (isDone) doneFiles += files;
    doneBytes += isDone ? size : Math.min(size, one.progress?.bytesMoved ?? 0);
  }
  return { done: { files: doneFiles, bytes: doneBytes }, all: { files: allFiles, bytes: allBytes } };
}

const isRunning = ({ state }: Upload | Download): boolean => state.kind === 'running' || state.kind === 'waiting';

export const countRunning = (uploads: readonly Upload[], downloads: readonly Download[]): number =>
  uploads.filter(isRunning).length + downloads.filter(isRunning).length;

export const listDone = (transfers: readonly (Upload | Download)[]): string[] =>
  transfers.filter(({ state }) => state.kind === 'done').map(({ id }) => id);
