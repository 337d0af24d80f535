// Base 85 encoding with the character codes 40 to 124: five characters for four bytes, after one digit with the number
// of padding bytes. The result can contain neither an HTML comment nor an end tag.
const base = 85;
const first = 40;

export function toBase85(bytes: Uint8Array): string {
  const fill = (4 - (bytes.length % 4)) % 4;
  const words = new DataView(new Uint8Array([...bytes, ...new Uint8Array(fill)]).buffer);
  let text = String(fill);
  for (let at = 0; at < words.byteLength; at += 4) {
    let word = words.getUint32(at);
    let letters = '';
    for (let letter = 0; letter < 5; letter++) {
      letters = String.fromCharCode(first + (word % base)) + letters;
      word = Math.floor(word / base);
    }
    text += letters;
  }
  if (text.toLowerCase().includes('</script')) throw new RangeError('these bytes cannot be put into a page');
  return text;
}

/** The inverse of `toBase85`. */
export function fromBase85(text: string): Uint8Array<ArrayBuffer> {
  const words = new DataView(new ArrayBuffer(((text.length - 1) / 5) * 4));
  for (let at = 1; at < text.length; at += 5) {
    let word = 0;
    for (let letter = 0; letter < 5; letter++) word = word * base + text.charCodeAt(at + letter) - first;
    words.setUint32(((at - 1) / 5) * 4, word);
  }
  return new Uint8Array(words.buffer, 0, words.byteLength - Number(text[0]));
}
