// Reads formats that come from anywhere: every step is checked against the end.

/** These bytes are not what they claim to be. */
export class BadImage extends Error {}

export class ByteReader {
  readonly bytes: Buffer;
  #position = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get position(): number {
    return this.#position;
  }

  get isAtEnd(): boolean {
    return this.#position >= this.bytes.length;
  }

  take(length: number): Buffer {
    const end = this.#position + length;
    if (end > this.bytes.length) throw new BadImage('it ends too early');
    const taken = this.bytes.subarray(this.#position, end);
    this.#position = end;
    return taken;
  }

  byte(): number {
    return this.take(1).readUInt8();
  }

  /** What lies between an earlier position and this one. */
  since(position: number): Buffer {
    return this.bytes.subarray(position, this.#position);
  }
}

const maxPixels = 50_000_000;

/** A small file can claim a size that stops every browser that tries to show it. */
export function checkSize(width: number, height: number): void {
  if (width === 0 || height === 0) throw new BadImage('it has no size');
  if (width * height > maxPixels) throw new BadImage(`it has more than ${maxPixels} pixels`);
}
