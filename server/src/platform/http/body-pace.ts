// Minimum upload rate: a client that trickles its body would hold a connection and a half-written object indefinitely.
// MeasuredStream over whole spans, so that short stalls of the network do not count.
import type { IncomingMessage } from 'node:http';

type Watched = {
  readonly request: IncomingMessage;
  readonly tooSlow: () => void;
  /** By `performance.now()`. */
  spanStart: number;
  bytesBefore: number;
};

type PaceOptions = {
  readonly spanMs: number;
  /** 0: no limit. */
  readonly minBytesPerSecond: number;
};

export class BodyPace {
  readonly #spanMs: number;
  readonly #minBytes: number;
  readonly #watched = new Map<IncomingMessage, Watched>();
  #timer: NodeJS.Timeout | undefined;

  constructor({ spanMs, minBytesPerSecond }: PaceOptions) {
    this.#spanMs = spanMs;
    this.#minBytes = (minBytesPerSecond * spanMs) / 1000;
  }

  /** `tooSlow` is called at most once. Must not throw. */
  watch(request: IncomingMessage, tooSlow: () => void): void {
    if (this.#minBytes === 0) return;
    const watched = { request, tooSlow, spanStart: performance.now(), bytesBefore: request.socket.bytesRead };
    this.#watched.set(request, watched);
    this.#timer ??= setInterval(() => this.#checkAll(), Math.max(10, this.#spanMs / 10)).unref();
  }

  forget(request: IncomingMessage): void {
    this.#watched.delete(request);
  }

  #checkAll(): void {
    const now = performance.now();
    for (const watched of this.#watched.values()) {
      if (watched.request.complete) this.forget(watched.request);
      else this.#checkPace(watched, now);
    }
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #checkPace(watched: Watched, now: number): void {
    const { request, spanStart, bytesBefore } = watched;
    const { bytesRead } = request.socket;
    const isOurTurn = request.readableLength > 0; // received bytes that the server has not read yet
    if (!isOurTurn && now - spanStart < this.#spanMs) return;
    if (isOurTurn || bytesRead - bytesBefore >= this.#minBytes) {
      Object.assign(watched, { spanStart: now, bytesBefore: bytesRead });
      return;
    }
    this.forget(request);
    watched.tooSlow();
  }
}
