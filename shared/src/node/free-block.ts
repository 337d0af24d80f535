/** Whether nothing but this block lies in its memory, so that it can be given away. A view of something larger cannot. */
export const isWholeBlock = ({ buffer, byteLength }: Uint8Array): boolean =>
  buffer instanceof ArrayBuffer && byteLength === buffer.byteLength && byteLength > 0;

/**
 * Gives the memory of a block back at once, instead of when it is next collected: gigabytes that pass in small blocks
 * otherwise keep the collector busy. Only for whoever owns the block alone; it is empty afterwards. A view of something
 * larger is left alone.
 */
export function freeBlock(block: Uint8Array): void {
  if (isWholeBlock(block)) (block.buffer as ArrayBuffer).transfer(0);
}
