// Structured logs: one JSON line per event, readable lines on a terminal. Secrets are redacted by field name; bodies
// and headers are never logged.
import { type Logger, pino } from 'pino';
import { systemClock, toIso } from '../clock.ts';

export type Log = Logger;

const secretNames = [
  'authorization',
  'cookie',
  'password',
  'token',
  'sseToken',
  'setupCode',
  'mailCode',
  'secret',
  'dataKey',
  'masterKey',
];

type LogOptions = { readonly level: string; readonly pretty: boolean };

export async function openLog({ level, pretty }: LogOptions): Promise<Log> {
  const options = {
    level,
    base: null,
    redact: { paths: secretNames.flatMap(name => [name, `*.${name}`, `*.*.${name}`]), censor: '(cut)' },
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: openStamp(),
  };
  if (!pretty) return pino(options, new Sink());
  const { PinoPretty } = await import('pino-pretty');
  const stream = PinoPretty({
    colorize: process.stderr.hasColors?.() ?? false,
    translateTime: 'HH:MM:ss',
    hideObject: true, // the message is complete; errors are shown nevertheless
    destination: 2,
    sync: true,
  });
  return pino(options, stream);
}

/** One child per log, so that there is one listener. */
const withoutSearchOf = new WeakMap<Log, Log>();

/** A log without redaction, which costs ten times the line itself; only for fields known to hold no secrets. */
export function withoutSearch(log: Log): Log {
  const made = withoutSearchOf.get(log);
  if (made) return made;
  const child = log.child({}, { redact: [] });
  withoutSearchOf.set(log, child);
  log.on('level-change', level => {
    if (child.level !== level) child.level = level; // a change in the child also notifies the parent's listeners
  });
  return child;
}

/** Half of a pipe's buffer, so that its reader wakes rarely and writes do not block. */
const mostHeldCharacters = 32 * 1024;
const heldMs = 50;
const asksForLevel: unique symbol = Symbol.for('pino.metadata');
/** pino's numeric level. */
const warnLevel = 40;

/**
 * Batches lines, because one write each costs more than formatting them. Warnings, errors and the end of the process
 * flush at once.
 */
class Sink {
  readonly [asksForLevel] = true;
  /** Level of the next line: pino sets it if the property above is present. */
  lastLevel = 0;
  readonly #out = pino.destination({ fd: 2, sync: true });
  #held = '';
  #timer: NodeJS.Timeout | undefined;

  constructor() {
    process.on('exit', () => this.flushSync());
  }

  write(line: string): void {
    this.#held += line;
    if (this.lastLevel >= warnLevel || this.#held.length > mostHeldCharacters) this.flushSync();
    else this.#timer ??= setTimeout(() => this.flushSync(), heldMs);
  }

  flushSync(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const lines = this.#held;
    this.#held = '';
    if (lines !== '') this.#out.write(lines);
  }
}

/** Cached, because many lines have the same millisecond. */
function openStamp(): () => string {
  let [at, text] = [Number.NaN, ''];
  return () => {
    const now = systemClock.now();
    if (now !== at) [at, text] = [now, `,"time":"${toIso(now)}"`];
    return text;
  };
}

export const silentLog: Log = pino({ level: 'silent' });
