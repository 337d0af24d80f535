// Check that a block owns its whole buffer, so that it can be transferred.

/**
 * Whether the buffer contains nothing but this block, so that it can be transferred. A view of a larger buffer cannot.
 */
export const isWholeBlock = ({ buffer, byteLength }: Uint8Array): boolean =>
  buffer instanceof ArrayBuffer && byteLength === buffer.byteLength && byteLength > 0;

/**
 * Frees the memory of a block immediately, instead of at the next collection: gigabytes of small blocks otherwise keep
 * the garbage collector busy. Only for an exclusive owner of the block, which is empty afterwards. A view of a larger
 * buffer is left alone.
 */
export function freeBlock(block: Uint8Array): void {
  if (isWholeBlock(block)) (block.buffer as ArrayBuffer).transfer(0);
}
