/**
 * Gives the memory of a block back at once, instead of when it is next collected: gigabytes that pass in small blocks
 * otherwise keep the collector busy. Only for whoever owns the block alone; it is empty afterwards. A view of something
 * larger is left alone.
 */
export function freeBlock({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength && byteLength > 0) buffer.transfer(0);
}
