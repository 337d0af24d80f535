// A reader of spreadsheets (.xlsx), which are ZIP files of XML.
import { inflateRawSync } from 'node:zlib';

/** Parts by name, as the directory at the end of the file has them. */
export function readParts(book: Buffer): Map<string, string> {
  const end = book.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  const parts = new Map<string, string>();
  for (let at = book.readUInt32LE(end + 16); at < end; ) {
    const [packed, name, extra, comment] = [at + 20, at + 28, at + 30, at + 32];
    const length = book.readUInt16LE(name);
    const local = book.readUInt32LE(at + 42);
    const bytes = local + 30 + book.readUInt16LE(local + 26) + book.readUInt16LE(local + 28);
    const content = inflateRawSync(book.subarray(bytes, bytes + book.readUInt32LE(packed)));
    parts.set(book.toString('utf8', at + 46, at + 46 + length), content.toString());
    at += 46 + length + book.readUInt16LE(extra) + book.readUInt16LE(comment);
  }
  return parts;
}
