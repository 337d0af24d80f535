// Structured logs: one JSON line per event, readable lines on a terminal. Secrets are cut out by name, whatever
// object they hang on; bodies and headers are never logged.
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
    hideObject: true, // the line says it all; an error is shown all the same
    destination: 2,
    sync: true,
  });
  return pino(options, stream);
}

/** Fields that are all named by whoever logs need no search for secrets, which costs ten times the line itself. */
export const withoutSearch = (log: Log): Log => log.child({}, { redact: [] });

/** Half of what a pipe holds: its reader is woken seldom, and nobody waits for it. */
const mostHeldCharacters = 32 * 1024;
const heldMs = 50;
const asksForLevel: unique symbol = Symbol.for('pino.metadata');
/** As pino numbers its levels. */
const warnLevel = 40;

/** Lines share a write, which else costs more than making them. Warnings and errors wait for nobody, nor does the end. */
class Sink {
  readonly [asksForLevel] = true;
  /** Of the line that comes next: pino tells a stream that asks for it by the line above. */
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

/** Many lines are of the same millisecond. */
function openStamp(): () => string {
  let [at, text] = [Number.NaN, ''];
  return () => {
    const now = systemClock.now();
    if (now !== at) [at, text] = [now, `,"time":"${toIso(now)}"`];
    return text;
  };
}

export const silentLog: Log = pino({ level: 'silent' });
