// A bounds-checked reader for untrusted image formats.

/** The bytes are not a valid image of their format. */
export class InvalidImage extends Error {}

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
    if (end > this.bytes.length) throw new InvalidImage('it ends too early');
    const taken = this.bytes.subarray(this.#position, end);
    this.#position = end;
    return taken;
  }

  byte(): number {
    return this.take(1).readUInt8();
  }

  /** The bytes between an earlier position and this one. */
  since(position: number): Buffer {
    return this.bytes.subarray(position, this.#position);
  }
}

const maxPixels = 50_000_000;

/** A small file can declare dimensions that crash browsers. */
export function checkSize(width: number, height: number): void {
  if (width === 0 || height === 0) throw new InvalidImage('it has no size');
  if (width * height > maxPixels) throw new InvalidImage(`it has more than ${maxPixels} pixels`);
}
