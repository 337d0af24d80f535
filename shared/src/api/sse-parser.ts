// The text format of server-sent events (WHATWG HTML §9.2.6), read piece by piece as it arrives. Refuses a message
// that does not come to an end.

type SseMessage = {
  readonly data: string;
  /** Absent where the message itself carried none. */
  readonly id: string | undefined;
  /** The pause before the next connection that the server asks for. */
  readonly retryMs: number | undefined;
};

const maxPendingCharacters = 1024 * 1024;

export class SseParser {
  #rest = '';
  #data: string[] = [];
  #id: string | undefined;
  #retryMs: number | undefined;
  #pending = 0;
  #isFirst = true;
  /** The last piece ended with a carriage return, to which a line feed may belong. */
  #endedWithCr = false;

  /** The messages that this piece completes. */
  feed(piece: string): SseMessage[] {
    let text = piece;
    if (text === '') return [];
    if (this.#isFirst && text.startsWith('\ufeff')) text = text.slice(1);
    this.#isFirst = false;
    if (this.#endedWithCr && text.startsWith('\n')) text = text.slice(1);
    this.#endedWithCr = text.endsWith('\r') || (text === '' && this.#endedWithCr);
    const lines = (this.#rest + text).split(/\r\n|\n|\r/);
    this.#rest = lines.pop() ?? '';
    const messages = lines.flatMap(line => this.#takeLine(line));
    if (this.#rest.length + this.#pending > maxPendingCharacters) throw new RangeError('a message does not end');
    return messages;
  }

  #takeLine(line: string): SseMessage[] {
    if (line === '') return this.#complete();
    this.#pending += line.length;
    const colon = line.indexOf(':');
    if (colon === 0) return []; // a comment
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') this.#data.push(value);
    else if (name === 'id' && !value.includes('\0')) this.#id = value;
    else if (name === 'retry' && /^[0-9]{1,9}$/.test(value)) this.#retryMs = Number(value);
    return [];
  }

  #complete(): SseMessage[] {
    const message = { data: this.#data.join('\n'), id: this.#id, retryMs: this.#retryMs };
    const isEmpty = this.#data.length === 0;
    this.#data = [];
    this.#id = undefined;
    this.#retryMs = undefined;
    this.#pending = 0;
    return isEmpty ? [] : [message];
  }
}
